//! Pictures in one call: of a mesh, of what is wrong with it, of how it has moved, of its components.

pub mod components;
mod outline;

use pliant_linalg::{Vec3, grouped};
use pliant_mesh::{Attributes, Elements, MeshData, ShownSurface};

use crate::image::palette;
use crate::{Camera, Colour, Cut, Field, Image, Paint, Scene, Style, Up};

/// How a picture of a mesh is made.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// Width in pixels.
    pub width: usize,
    /// Height in pixels.
    pub height: usize,
    /// Which axis of the file points up.
    pub up: Up,
    /// Degrees around the vertical, from the front; from the side, the other way round, for a body that is deeper than
    /// wide, so that its long side is seen.
    pub azimuth: f64,
    /// Degrees above the horizon; up to 16 are added for a flat body.
    pub elevation: f64,
    /// Whether edges of elements are drawn.
    pub edges: bool,
    /// A line in the upper left corner, such as the name of the file. Empty: none.
    pub title: String,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            width: 960,
            height: 540,
            up: Up::Auto,
            azimuth: 30.0,
            elevation: 20.0,
            edges: true,
            title: String::new(),
        }
    }
}

impl Options {
    /// The usual picture with a title.
    pub fn titled(title: impl Into<String>) -> Self {
        Self { title: title.into(), ..Self::default() }
    }

    pub(crate) fn camera(&self, turned: f64) -> Camera {
        // Room for words below and above.
        Camera { margin: 0.10, ..Camera::fit().up(self.up).turn(self.azimuth + turned, self.elevation) }
    }

    /// Whether two views have room in the picture.
    fn wide(&self) -> bool {
        self.width as f64 >= 1.25 * self.height as f64
    }

    /// The same for a given body: looking down more steeply on what is flat, and on the long side of what is deep.
    pub(crate) fn over(&self, scene: &Scene) -> Self {
        let extent = scene.extent();
        let flat = (1.0 - extent.z / 0.5).clamp(0.0, 1.0);
        let azimuth = if extent.y > 1.15 * extent.x { 90.0 - self.azimuth } else { self.azimuth };
        let elevation = (self.elevation + 16.0 * flat).min(self.elevation.max(80.0));
        Self { azimuth, elevation, ..self.clone() }
    }
}

/// A picture of a mesh. A solid is shown from outside (its embedded surface where it has one) and cut open, a surface
/// from the front and from behind; regions have colours, vertex sets are dotted. In a picture that is not wide there is
/// one view only: the cut-away of a solid, the front of a surface.
///
/// ```
/// use pliant_draw::{Options, mesh_picture};
/// let mesh = pliant_mesh::shapes::ball(1.0, 3).into_data();
/// let picture = mesh_picture(&mesh, &Options { width: 160, height: 90, ..Options::titled("ball") });
/// assert_eq!((picture.width, picture.height), (160, 90));
/// ```
pub fn mesh_picture(mesh: &MeshData, options: &Options) -> Image {
    let options = &Options { up: stands(mesh, options.up), ..options.clone() };
    let style = Style { edges: options.edges, paint: region_paint(mesh, palette::BODY), ..Style::default() };
    let count = counted(mesh);
    match &mesh.elements {
        Elements::Tets(tets) => {
            let whole =
                Scene::new().solid(&mesh.vertices, tets, Cut::None, &style).camera(options.camera(0.0));
            let frame = whole.frame();
            let up = frame.up();
            // Of the two level axes the one that points at the viewer is cut across.
            let turn = options.azimuth.to_radians();
            let level = if turn.sin().abs() > turn.cos().abs() {
                Vec3::x() * turn.sin().signum()
            } else {
                -Vec3::y() * turn.cos().signum()
            };
            let cut = Cut::half(&mesh.vertices, tets, frame.direction(&level));
            let open = Scene::new()
                .keep_room(&whole)
                .solid(&mesh.vertices, tets, cut, &style)
                .camera(options.camera(0.0).up(up));
            let embedded = mesh.attributes.embedded.as_ref().map(|_| ShownSurface::of(mesh));
            let outside = match &embedded {
                Some(shown) => {
                    let style = Style::default().painted(embedded_paint(shown)).plain();
                    let scene = Scene::new().keep_room(&whole).faces(&shown.rest, &shown.faces, &style);
                    scene.camera(options.camera(0.0).up(up))
                }
                None => whole,
            };
            let words = match &embedded {
                Some(shown) => format!("embedded surface, {} faces", grouped(shown.faces.len())),
                None => count.clone(),
            };
            let open_words = if mesh.attributes.embedded.is_some() {
                format!("{count}, cut open")
            } else {
                "cut open".into()
            };
            // Regions and sets are of the tets: where the surface hides them, they are noted at the cut.
            let (outside, open) = match &mesh.attributes.embedded {
                Some(_) => {
                    let mut there = vec![false; mesh.vertices.len()];
                    let left = tets.iter().filter(|t| cut.keeps(&mesh.vertices, t));
                    for &v in left.flatten() {
                        there.get_mut(v as usize).into_iter().for_each(|t| *t = true);
                    }
                    let seen = |v: u32| there.get(v as usize) == Some(&true);
                    (titled(outside, options), listed(dotted(open, mesh, options, seen), mesh))
                }
                None => (noted(outside, mesh, options), open),
            };
            views(options, [(outside, words), (open, open_words)], usize::from(!options.wide()))
        }
        Elements::Faces(faces) => {
            let scene = Scene::new().faces(&mesh.vertices, faces, &style).camera(options.camera(0.0));
            let options = &options.over(&scene);
            let front = noted(scene.clone().camera(options.camera(0.0)), mesh, options);
            let behind = dotted(scene.camera(options.camera(180.0)), mesh, options, |_| true);
            views(options, [(front, count), (behind, "from behind".into())], 0)
        }
    }
}

/// A picture of what is wrong: the mesh in pale grey from the front and from behind, and the places of each kind of
/// finding as dots that are seen through it. A mark is its label, its colour and its places in metres.
pub fn defects_picture(mesh: &MeshData, marks: &[(String, Colour, Vec<Vec3>)], options: &Options) -> Image {
    let style = Style { edges: options.edges, ..Style::colour(palette::PALE) };
    let scene = match &mesh.elements {
        Elements::Tets(tets) => Scene::new().solid(&mesh.vertices, tets, Cut::None, &style),
        Elements::Faces(faces) => Scene::new().faces(&mesh.vertices, faces, &style),
    }
    .camera(options.camera(0.0));
    let options = &options.over(&scene);
    let seen = |turned: f64| {
        marks
            .iter()
            .fold(scene.clone(), |s, (_, colour, places)| {
                s.marks(places, *colour, radius(places.len(), options))
            })
            .camera(options.camera(turned))
    };
    let front = marks.iter().fold(titled(seen(0.0), options), |scene, (label, colour, places)| {
        scene.legend(*colour, format!("{label} ({})", grouped(places.len())))
    });
    views(options, [(front, counted(mesh)), (seen(180.0), "from behind".into())], 0)
}

/// A body that has moved.
#[derive(Clone, Debug, PartialEq)]
pub struct Deformed<'a> {
    /// x y z of each vertex in turn, metres.
    pub displacement: &'a [f64],
    /// How many times larger the displacement is drawn.
    pub times: f64,
    /// What the colours mean, with its unit: `displacement, m`. Empty: no colour bar, as for a mode, which has no size.
    pub label: String,
}

/// A picture of a body that has moved, coloured by how far (violet to yellow, from no displacement to the largest), with
/// the outline of the rest shape. An embedded surface moves with its solid and is shown instead of it. Vertices without
/// a finite displacement stay where they are.
///
/// ```
/// use pliant_draw::{Deformed, Options, deformed_picture};
/// let mesh = pliant_mesh::shapes::ball(1.0, 3).into_data();
/// let moved: Vec<f64> = mesh.vertices.iter().flat_map(|p| [0.0, p.x * p.x, 0.0]).collect();
/// let deformed = Deformed { displacement: &moved, times: 1.0, label: "displacement, m".into() };
/// let picture = deformed_picture(&mesh, &deformed, &Options { width: 160, height: 90, ..Options::default() });
/// assert_eq!((picture.width, picture.height), (160, 90));
/// ```
pub fn deformed_picture(mesh: &MeshData, deformed: &Deformed<'_>, options: &Options) -> Image {
    let options = &Options { up: stands(mesh, options.up), ..options.clone() };
    let moved: Vec<f64> = (0..mesh.vertices.len())
        .flat_map(|v| match deformed.displacement.get(3 * v..3 * v + 3) {
            Some(u) if u.iter().all(|x| x.is_finite()) => [u[0], u[1], u[2]],
            _ => [0.0; 3],
        })
        .collect();
    let shown = ShownSurface::of(mesh);
    let (rest, faces, u) = (&shown.rest, &shown.faces, shown.displacement(&moved));
    let far: Vec<f64> = u.iter().map(Vec3::norm).collect();
    // What lies inside of a solid counts too: a cut-away of the same motion has the same colours.
    let inside = moved.chunks_exact(3).filter(|_| shown.body_vertices().is_some());
    let inside = inside.map(|u| Vec3::from_column_slice(u).norm());
    let most = far.iter().copied().chain(inside).fold(0.0, f64::max);
    let range = [0.0, if most > 0.0 { most } else { 1.0 }];
    let field = Field { range, ..Field::new(far, deformed.label.clone()) };
    let now: Vec<Vec3> = rest.iter().zip(&u).map(|(x, u)| x + u * deformed.times).collect();
    let style = Style { edges: options.edges, ..Style::default().painted(Paint::Field(field)) };
    // How the body stands and from where it is seen is decided by its rest shape, so that pictures of one body match.
    let still = Scene::new().faces(rest, faces, &style).camera(options.camera(0.0));
    let options = &Options { up: still.frame().up(), ..options.over(&still) };
    let camera = options.camera(0.0);
    let ghost = outline::tubes(rest, faces, &still.frame(), &camera, options.width.min(options.height));
    let scene = Scene::new()
        .keep_room(&still)
        .faces(&now, faces, &style)
        .surface(
            &ghost.0,
            &ghost.1,
            &Style { smooth: false, back: palette::PALE, ..Style::colour(palette::PALE).plain() },
        )
        .camera(camera);
    titled(scene, options).render(options.width, options.height)
}

/// Renders two views side by side or one above the other, whichever shows more; only `single` where there is no room.
fn views(options: &Options, scenes: [(Scene, String); 2], single: usize) -> Image {
    let drawn = |(scene, words): &(Scene, String), width: usize, height: usize| {
        scene.render(width, height).captioned(words)
    };
    let on = |(scene, words): &(Scene, String), paper: [f32; 2]| (scene.clone().paper(paper), words.clone());
    let (w, h) = (options.width, options.height);
    if !options.wide() {
        return drawn(&scenes[single], w, h);
    }
    // Above one another costs half of the height, of which there must be two halves, and must be clearly better.
    if h > 1 && scenes[0].0.magnification(w, h / 2) > 1.15 * scenes[0].0.magnification(w / 2, h) {
        return Image::stacked(&[
            drawn(&on(&scenes[0], [0.0, 0.5]), w, h / 2),
            drawn(&on(&scenes[1], [0.5, 1.0]), w, h - h / 2),
        ]);
    }
    Image::beside(&[drawn(&scenes[0], w / 2, h), drawn(&scenes[1], w - w / 2, h)])
}

/// Title, legend and dots.
fn noted(scene: Scene, mesh: &MeshData, options: &Options) -> Scene {
    listed(dotted(titled(scene, options), mesh, options, |_| true), mesh)
}

/// A legend of regions and sets.
fn listed(mut scene: Scene, mesh: &MeshData) -> Scene {
    let attributes = &mesh.attributes;
    if coloured(attributes) {
        for (r, region) in attributes.regions.iter().enumerate() {
            scene = scene.legend(palette::region(r), region.name.clone());
        }
    }
    for (i, set) in attributes.sets.iter().enumerate() {
        scene =
            scene.legend(set_colour(&set.name, i), format!("{} ({})", set.name, grouped(set.vertices.len())));
    }
    scene
}

pub(crate) fn titled(scene: Scene, options: &Options) -> Scene {
    if options.title.is_empty() { scene } else { scene.title(&options.title) }
}

/// Dots at the vertex sets, as far as they are wanted.
fn dotted(scene: Scene, mesh: &MeshData, options: &Options, wanted: impl Fn(u32) -> bool) -> Scene {
    mesh.attributes.sets.iter().enumerate().fold(scene, |scene, (i, set)| {
        let places: Vec<Vec3> = set
            .vertices
            .iter()
            .filter(|v| wanted(**v))
            .filter_map(|&v| mesh.vertices.get(v as usize))
            .copied()
            .collect();
        scene.marks(&places, set_colour(&set.name, i), radius(places.len(), options))
    })
}

/// Radius of a dot, pixels: many dots are small ones.
fn radius(count: usize, options: &Options) -> f64 {
    let usual = match count {
        0..=60 => 3.6,
        61..=400 => 2.6,
        _ => 1.9,
    };
    usual * (options.height as f64 / 540.0).clamp(0.5, 4.0)
}

fn set_colour(name: &str, i: usize) -> Colour {
    if name.to_lowercase().contains("fix") { palette::FIXED } else { palette::MARKS[(i + 1) % 8] }
}

/// A body whose fixed vertices all lie at its low end stands on them; of any other the renderer judges itself.
pub(crate) fn stands(mesh: &MeshData, up: Up) -> Up {
    let (Up::Auto, Some(fixed)) = (up, mesh.attributes.set("fixed")) else { return up };
    let [low, high] = mesh.bounds();
    let on_ground = |axis: usize| {
        let ground = low[axis] + 0.01 * (high[axis] - low[axis]);
        !fixed.vertices.is_empty()
            && fixed.vertices.iter().all(|&v| mesh.vertices[v as usize][axis] <= ground)
    };
    match (on_ground(1), on_ground(2)) {
        (true, false) => Up::Y,
        (false, true) => Up::Z,
        _ => up,
    }
}

/// The colours that our own shapes give the regions of their surfaces; else one colour.
fn embedded_paint(shown: &ShownSurface) -> Paint {
    let colour = |c: &Option<[u8; 3]>| c.map_or(palette::EMBEDDED, |[r, g, b]| Colour { r, g, b });
    if shown.colours.is_empty() {
        return Paint::One(palette::EMBEDDED);
    }
    Paint::Each(shown.colours.iter().map(colour).collect())
}

/// One region is the whole body and needs no colour of its own.
fn coloured(attributes: &Attributes) -> bool {
    attributes.regions.len() > 1
}

fn region_paint(mesh: &MeshData, usual: Colour) -> Paint {
    if !coloured(&mesh.attributes) {
        return Paint::One(usual);
    }
    Paint::Each(
        (0..mesh.elements.len())
            .map(|e| match mesh.attributes.region_of.get(e) {
                Some(&r) if r != Attributes::NO_REGION => palette::region(r as usize),
                _ => palette::EMBEDDED,
            })
            .collect(),
    )
}

fn counted(mesh: &MeshData) -> String {
    let (vertices, elements) = (mesh.vertices.len(), mesh.elements.len());
    format!("{} vertices, {} {}", grouped(vertices), grouped(elements), mesh.kind().name())
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant_mesh::VertexSet;

    #[test]
    fn a_body_stands_on_what_is_fixed() {
        let bar = pliant_mesh::shapes::bar(Vec3::new(1.0, 2.0, 3.0), [1, 1, 1]).into_data();
        let fixed_where = |wanted: fn(&Vec3) -> bool| {
            let mut mesh = bar.clone();
            let vertices = (0..8).filter(|&v| wanted(&mesh.vertices[v as usize])).collect();
            mesh.attributes.sets = vec![VertexSet { name: "fixed".into(), vertices }];
            mesh
        };
        assert_eq!(stands(&fixed_where(|p| p.y == 0.0), Up::Auto), Up::Y);
        assert_eq!(stands(&fixed_where(|p| p.z == 0.0), Up::Auto), Up::Z);
        assert_eq!(stands(&fixed_where(|p| p.z == 0.0), Up::Y), Up::Y, "what was asked for stays");
        for undecided in [|p: &Vec3| p.x == 0.0, |p: &Vec3| p.y == 0.0 && p.z == 0.0, |_: &Vec3| false] {
            assert_eq!(stands(&fixed_where(undecided), Up::Auto), Up::Auto);
        }
    }
}
