//! Scenes: what is to be drawn, from where it is seen, where it is cut open and which colours its values have.

pub mod camera;
pub mod cut;
pub(crate) mod facing;
pub mod field;
pub(crate) mod frame;

use pliant_linalg::Vec3;
use pliant_mesh::{Faces, measure::triangulate};

use crate::image::palette;
use crate::scene::camera::View;
use crate::scene::cut::shown;
use crate::scene::facing::FLAT;
use crate::scene::frame::Frame;
use crate::{Camera, Colour, Cut, Field};

/// What colours a surface or solid.
#[derive(Clone, Debug, PartialEq)]
pub enum Paint {
    /// One colour.
    One(Colour),
    /// One for each triangle, face or tet; those that are missing take [`palette::BODY`].
    Each(Vec<Colour>),
    /// Numbers at the vertices, through a colour map.
    Field(Field),
}

/// How a surface or solid looks.
#[derive(Clone, Debug, PartialEq)]
pub struct Style {
    /// Its colour.
    pub paint: Paint,
    /// Where a solid of one colour is cut. Regions are cut in a lighter tone of their own.
    pub cut: Colour,
    /// The backs of faces.
    pub back: Colour,
    /// Whether the edges of the elements are drawn. They fade where elements are only a few pixels large.
    pub edges: bool,
    /// Width of an edge, pixels.
    pub edge_width: f64,
    /// Whether normals are smoothed.
    pub smooth: bool,
    /// Edges sharper than this stay sharp, degrees.
    pub crease: f64,
}

impl Default for Style {
    fn default() -> Self {
        Self {
            paint: Paint::One(palette::BODY),
            cut: palette::CUT,
            back: palette::BACK,
            edges: true,
            edge_width: 0.9,
            smooth: true,
            crease: 40.0,
        }
    }
}

impl Style {
    /// One colour.
    pub fn colour(colour: Colour) -> Self {
        Self { paint: Paint::One(colour), ..Self::default() }
    }

    /// Without edges.
    pub fn plain(self) -> Self {
        Self { edges: false, ..self }
    }

    /// With the given paint.
    pub fn painted(self, paint: Paint) -> Self {
        Self { paint, ..self }
    }
}

/// Dots that are seen through the surface.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Marks {
    pub(crate) points: Vec<Vec3>,
    pub(crate) colour: Colour,
    /// Pixels.
    pub(crate) radius: f64,
    pub(crate) numbered: bool,
}

/// A surface that is ready to be drawn: indices in range, corners finite, every vertex used.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    pub(crate) vertices: Vec<Vec3>,
    pub(crate) triangles: Vec<[u32; 3]>,
    /// Bits 0 to 2: whether the edge from corner i to corner i + 1 is drawn; [`FLAT`].
    pub(crate) flags: Vec<u8>,
    pub(crate) paint: Paint,
    pub(crate) back: Colour,
    pub(crate) edge_width: f64,
    pub(crate) crease: Option<f64>,
}

/// A picture to be: add things, choose a camera, render.
#[derive(Clone, Debug)]
#[must_use = "nothing is drawn until `.render(…)`"]
pub struct Scene {
    pub(crate) parts: Vec<Part>,
    pub(crate) marks: Vec<Marks>,
    pub(crate) title: String,
    pub(crate) legend: Vec<(Colour, String)>,
    /// Points that the camera keeps in view although nothing is drawn there.
    pub(crate) room: Vec<Vec3>,
    pub(crate) camera: Camera,
    /// Where on the gradient of the paper the picture begins and ends.
    pub(crate) paper: [f32; 2],
}

impl Default for Scene {
    fn default() -> Self {
        Self {
            parts: vec![],
            marks: vec![],
            title: String::new(),
            legend: vec![],
            room: vec![],
            camera: Camera::default(),
            paper: [0.0, 1.0],
        }
    }
}

impl Scene {
    /// Nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds triangles, counter-clockwise seen from outside; positions in metres. Triangles whose corners are missing
    /// or not finite are passed over.
    pub fn surface(self, vertices: &[Vec3], triangles: &[[u32; 3]], style: &Style) -> Self {
        let edges = if style.edges { 7 } else { 0 };
        self.part(vertices, triangles, &vec![edges; triangles.len()], style.paint.clone(), style)
    }

    /// Adds faces with any number of corners; only their own edges are drawn, not those that cut them into triangles.
    pub fn faces(self, vertices: &[Vec3], faces: &Faces, style: &Style) -> Self {
        let (mut triangles, mut flags, mut colours) = (Vec::new(), Vec::new(), Vec::new());
        for (f, face) in faces.iter().enumerate() {
            if face.len() < 3 || face.iter().any(|&v| v as usize >= vertices.len()) {
                continue;
            }
            let own = |a: u32, b: u32| {
                (0..face.len()).any(|i| {
                    let (p, q) = (face[i], face[(i + 1) % face.len()]);
                    (p, q) == (a, b) || (q, p) == (a, b)
                })
            };
            let pieces = match face {
                [a, b, c] => vec![[*a, *b, *c]],
                _ => triangulate(vertices, &[face].into_iter().collect()),
            };
            for t in pieces {
                let drawn = (0..3).filter(|&i| style.edges && own(t[i], t[(i + 1) % 3]));
                flags.push(drawn.map(|i| 1 << i).sum());
                triangles.push(t);
                if let Paint::Each(each) = &style.paint {
                    colours.push(each.get(f).copied().unwrap_or(palette::BODY));
                }
            }
        }
        let paint = match &style.paint {
            Paint::Each(_) => Paint::Each(colours),
            other => other.clone(),
        };
        self.part(vertices, &triangles, &flags, paint, style)
    }

    /// Adds a solid of tets, cut open; positions in metres.
    pub fn solid(self, vertices: &[Vec3], tets: &[[u32; 4]], cut: Cut, style: &Style) -> Self {
        let seen = shown(vertices, tets, &cut);
        let triangles: Vec<[u32; 3]> = seen.iter().map(|s| s.corners).collect();
        let edges = if style.edges { 7 } else { 0 };
        let flags: Vec<u8> = seen.iter().map(|s| edges | if s.inside { FLAT } else { 0 }).collect();
        let paint = match &style.paint {
            Paint::One(c) => {
                Paint::Each(seen.iter().map(|s| if s.inside { style.cut } else { *c }).collect())
            }
            Paint::Each(each) => Paint::Each(
                seen.iter()
                    .map(|s| {
                        let c = each.get(s.tet as usize).copied().unwrap_or(palette::BODY);
                        if s.inside { palette::cut_of(c) } else { c }
                    })
                    .collect(),
            ),
            Paint::Field(field) => Paint::Field(field.clone()),
        };
        self.part(vertices, &triangles, &flags, paint, style)
    }

    /// Adds dots of the given radius (pixels) at points (metres). Where a surface hides them they are dimmed.
    pub fn marks(mut self, points: &[Vec3], colour: Colour, radius: f64) -> Self {
        self.marks.push(Marks { points: finite(points), colour, radius, numbered: false });
        self
    }

    /// The same with the numbers 0, 1, … beside the dots.
    pub fn numbered_marks(mut self, points: &[Vec3], colour: Colour, radius: f64) -> Self {
        self.marks.push(Marks { points: finite(points), colour, radius, numbered: true });
        self
    }

    /// A line of words in the upper left corner.
    pub fn title(mut self, words: impl Into<String>) -> Self {
        self.title = words.into();
        self
    }

    /// Keeps in view what `other` shows, so that two pictures have the same scale.
    pub fn keep_room(mut self, other: &Self) -> Self {
        self.room.extend(other.parts.iter().flat_map(|p| &p.vertices));
        self
    }

    /// Adds a line to the legend in the upper left corner.
    pub fn legend(mut self, colour: Colour, words: impl Into<String>) -> Self {
        self.legend.push((colour, words.into()));
        self
    }

    /// Chooses the camera.
    pub fn camera(mut self, camera: Camera) -> Self {
        self.camera = camera;
        self
    }

    /// The part of the paper's gradient that lies behind the picture, 0 above to 1 below: pictures that stand below one
    /// another share one.
    pub fn paper(mut self, part: [f32; 2]) -> Self {
        self.paper = part;
        self
    }

    /// Pixels for the longest half side of everything, at its distance from the eye.
    pub(crate) fn magnification(&self, width: usize, height: usize) -> f64 {
        let frame = self.frame();
        let fixed = self.camera.fixed.map(|f| f.map(|p| frame.place(&p)));
        let points: Vec<Vec3> =
            self.parts.iter().flat_map(|p| &p.vertices).chain(&self.room).map(|p| frame.place(p)).collect();
        let view = View::new(&self.camera, fixed, &points, [width.max(1), height.max(1)]);
        view.focal / view.eye.dot(&view.back).max(1e-9)
    }

    /// Width, depth and height of everything seen from the front, as shares of the longest side.
    pub(crate) fn extent(&self) -> Vec3 {
        let frame = self.frame();
        let points: Vec<Vec3> = self.parts.iter().flat_map(|p| &p.vertices).map(|p| frame.place(p)).collect();
        let [low, high] = pliant_mesh::data::bounds(&points);
        (high - low) / 2.0
    }

    /// The unit frame of the scene, with the axis that points up decided.
    pub(crate) fn frame(&self) -> Frame {
        let points = self.parts.iter().flat_map(|p| &p.vertices);
        let marks = self.marks.iter().flat_map(|m| &m.points);
        Frame::around(points.chain(marks).chain(&self.room), self.camera.up).standing(
            self.parts.iter().flat_map(|p| p.triangles.iter().map(|t| t.map(|v| &p.vertices[v as usize]))),
        )
    }

    fn part(
        mut self,
        vertices: &[Vec3],
        triangles: &[[u32; 3]],
        flags: &[u8],
        paint: Paint,
        style: &Style,
    ) -> Self {
        let sound = |v: &u32| vertices.get(*v as usize).is_some_and(|p| p.iter().all(|x| x.is_finite()));
        let keep: Vec<usize> = (0..triangles.len()).filter(|&t| triangles[t].iter().all(sound)).collect();
        let mut number = vec![u32::MAX; vertices.len()];
        let mut used = Vec::new();
        let triangles: Vec<[u32; 3]> = keep
            .iter()
            .map(|&t| {
                triangles[t].map(|v| {
                    let slot = &mut number[v as usize];
                    if *slot == u32::MAX {
                        *slot = used.len() as u32;
                        used.push(v as usize);
                    }
                    *slot
                })
            })
            .collect();
        let paint = match paint {
            Paint::Each(c) => {
                Paint::Each(keep.iter().map(|&t| c.get(t).copied().unwrap_or(palette::BODY)).collect())
            }
            Paint::Field(mut field) => {
                field.values =
                    used.iter().map(|&v| field.values.get(v).copied().unwrap_or(f64::NAN)).collect();
                Paint::Field(field)
            }
            one => one,
        };
        self.parts.push(Part {
            vertices: used.iter().map(|&v| vertices[v]).collect(),
            triangles,
            flags: keep.iter().map(|&t| flags[t]).collect(),
            paint,
            back: style.back,
            edge_width: style.edge_width.clamp(0.0, 1e3),
            crease: style.smooth.then(|| style.crease.to_radians().cos()),
        });
        self
    }
}

fn finite(points: &[Vec3]) -> Vec<Vec3> {
    points.iter().filter(|p| p.iter().all(|x| x.is_finite())).copied().collect()
}
