//! A picture of a few components of a body, such as the points of a cubature, in the outline of its shape.

use pliant_linalg::Vec3;
use pliant_mesh::topology::boundary_faces;
use pliant_mesh::{Elements, Faces, MeshData};

use crate::image::palette;
use crate::picture::outline;
use crate::picture::{Options, stands};
use crate::{Field, Image, Paint, Scene, Style};

/// A picture of some components, each with a number that colours it: tets by four corners, hinges as two triangles
/// (their first two corners are the edge), triangles, edges as thin as can be seen. `label` says what the numbers are.
///
/// ```
/// use pliant_draw::{Options, components_picture};
/// let mesh = pliant_mesh::shapes::ball(1.0, 3).into_data();
/// let first = mesh.elements.get(0).to_vec();
/// let options = Options { width: 160, height: 90, ..Options::default() };
/// let picture = components_picture(&mesh, &[(first, 2.0)], "weight", &options);
/// assert_eq!((picture.width, picture.height), (160, 90));
/// ```
pub fn components_picture(
    mesh: &MeshData,
    components: &[(Vec<u32>, f64)],
    label: &str,
    options: &Options,
) -> Image {
    let options = &Options { up: stands(mesh, options.up), ..options.clone() };
    let (faces, solid) = match &mesh.elements {
        Elements::Tets(tets) => (Faces::from_triangles(&boundary_faces(tets)), true),
        Elements::Faces(faces) => (faces.clone(), false),
    };
    let still = Scene::new().faces(&mesh.vertices, &faces, &Style::default()).camera(options.camera(0.0));
    let options = &Options { up: still.frame().up(), ..options.over(&still) };
    let camera = options.camera(0.0);
    let pixels = options.width.min(options.height);
    let ghost = outline::tubes(&mesh.vertices, &faces, &still.frame(), &camera, pixels);

    let (mut vertices, mut triangles, mut values) = (Vec::new(), Vec::new(), Vec::new());
    // An edge has no area: it is drawn as a thin triangle.
    let [low, high] = mesh.bounds();
    let thin = 0.002 * (high - low).norm();
    for (corners, value) in components {
        let at = |k: usize| mesh.vertices[corners[k] as usize];
        let own: Vec<[Vec3; 3]> = match (corners.len(), solid) {
            (4, true) => [[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]].map(|t| t.map(at)).to_vec(),
            (4, false) => vec![[at(0), at(1), at(2)], [at(1), at(0), at(3)]],
            (3, _) => vec![[at(0), at(1), at(2)]],
            (2, _) => {
                let along = at(1) - at(0);
                let aside = along.cross(&Vec3::new(0.3, 0.9, 0.2)).try_normalize(0.0).unwrap_or_default();
                vec![[at(0), at(1), at(0) + aside * thin]]
            }
            _ => Vec::new(),
        };
        for triangle in own {
            let first = vertices.len() as u32;
            vertices.extend(triangle);
            triangles.push([first, first + 1, first + 2]);
            values.extend([*value; 3]);
        }
    }
    let low = values.iter().copied().fold(f64::INFINITY, f64::min);
    let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let range = if low < high { [low, high] } else { [0.0, 1.0] };
    let field = Field { range, ..Field::new(values, label) };
    let style = Style { smooth: false, ..Style::default().painted(Paint::Field(field)) };
    let pale = Style { smooth: false, back: palette::PALE, ..Style::colour(palette::PALE).plain() };
    let scene = Scene::new()
        .keep_room(&still)
        .surface(&vertices, &triangles, &style)
        .surface(&ghost.0, &ghost.1, &pale)
        .camera(camera);
    crate::picture::titled(scene, options).render(options.width, options.height)
}
