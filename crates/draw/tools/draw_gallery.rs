//! One picture of everything the renderer can do, from our own shapes:
//! `cargo run -p pliant-draw --bin draw_gallery -- FOLDER`.

use std::path::Path;

use pliant_draw::{
    Camera, Colour, ColourMap, Cut, Field, Image, Options, Paint, Scene, Severity, Style, Up,
    defects_picture, html_report, mesh_picture, palette,
};
use pliant_linalg::Vec3;
use pliant_mesh::{Attributes, Faces, MeshData, Region, VertexSet, shapes, topology::boundary_faces};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args().nth(1).ok_or("expected a FOLDER to write to")?;
    let save = |name: &str, image: &Image| std::fs::write(Path::new(&folder).join(name), image.to_png());

    save("ball.png", &mesh_picture(&shapes::ball(0.1, 8).into_data(), &Options::titled("ball")))?;
    save("bent.png", &bent())?;
    save("regions.png", &mesh_picture(&two_regions(), &Options::titled("a bar of two materials")))?;
    let (mesh, marks) = torn_sheet();
    let defects = defects_picture(&mesh, &marks, &Options::titled("torn sheet"));
    save("defects.png", &defects)?;
    save("sheet.png", &contact_sheet())?;
    save("numbers.png", &numbered())?;
    let page = html_report(
        "torn sheet",
        &[
            ("kind".into(), "triangles".into()),
            ("vertices".into(), "961".into()),
            ("closed".into(), "no".into()),
        ],
        &[
            (Severity::Note, "It is open: 140 boundary edges in 3 loops.".into()),
            (Severity::Warning, "12 faces are turned over; `pliant mesh IN -o OUT` turns them back.".into()),
            (Severity::Error, "Vertex 17 has the coordinate nan, expected finite numbers.".into()),
        ],
        &[("The places of the findings. Hidden places are paler.".into(), defects.to_png())],
    );
    std::fs::write(Path::new(&folder).join("report.html"), page)?;
    Ok(())
}

/// A bar bent into an arc, coloured by how far it went, cut and whole.
fn bent() -> Image {
    let bar = shapes::bar(Vec3::new(1.0, 0.12, 0.12), [48, 6, 6]);
    let curl = |p: &Vec3| {
        let (radius, turn) = (0.45, p.x / 0.45 * 0.9);
        let r = radius - p.y;
        Vec3::new(r * turn.sin(), radius - r * turn.cos(), p.z)
    };
    let moved: Vec<Vec3> = bar.vertices().iter().map(curl).collect();
    let values = moved.iter().zip(bar.vertices()).map(|(a, b)| (a - b).norm() * 1e3).collect();
    let style = Style::default().painted(Paint::Field(Field::new(values, "displacement, mm")));
    let strain = moved.iter().zip(bar.vertices()).map(|(_, b)| 0.06 - b.y).collect();
    let mut signed = Field::new(strain, "strain");
    signed.range = [-0.06, 0.06];
    signed.map = ColourMap::Diverging;
    let view = |style: &Style, cut| {
        Scene::new().solid(&moved, bar.tets(), cut, style).camera(Camera::fit().up(Up::Y).turn(-25.0, 18.0))
    };
    Image::beside(&[
        view(&style, Cut::None).render(640, 480).captioned("a bent bar"),
        view(
            &Style::default().painted(Paint::Field(signed)),
            Cut::plane(Vec3::new(0.0, 0.0, 0.06), Vec3::z()),
        )
        .render(640, 480)
        .captioned("the same, cut open"),
    ])
}

fn two_regions() -> MeshData {
    let mut mesh = shapes::bar(Vec3::new(0.4, 0.1, 0.1), [16, 4, 4]).into_data();
    let names = ["steel", "rubber", "glue"];
    let region = |name: &&str| Region { name: (*name).to_string(), material: None };
    let middle =
        |e: usize| mesh.elements.get(e).iter().map(|&v| mesh.vertices[v as usize].x).sum::<f64>() / 4.0;
    let region_of: Vec<u32> = (0..mesh.elements.len())
        .map(|e| match middle(e) {
            x if x < 0.18 => 0,
            x if x > 0.225 => 1,
            _ => 2,
        })
        .collect();
    let fixed: Vec<u32> =
        (0..mesh.vertices.len() as u32).filter(|&v| mesh.vertices[v as usize].x < 1e-9).collect();
    mesh.attributes = Attributes {
        regions: names.iter().map(region).collect(),
        region_of,
        sets: vec![VertexSet { name: "fixed".into(), vertices: fixed }],
        ..Attributes::default()
    };
    mesh
}

type Mark = (String, Colour, Vec<Vec3>);

/// A waved sheet with a hole and some faces turned over.
fn torn_sheet() -> (MeshData, Vec<Mark>) {
    let n = 30u32;
    let vertices: Vec<Vec3> = (0..=n)
        .flat_map(|j| (0..=n).map(move |i| (f64::from(i) / 30.0, f64::from(j) / 30.0)))
        .map(|(x, y)| Vec3::new(x, y, 0.06 * (7.0 * x).sin() * (5.0 * y).cos()))
        .collect();
    let (mut faces, mut hole, mut turned) = (Faces::new(), Vec::new(), Vec::new());
    for j in 0..n {
        for i in 0..n {
            let v = j * (n + 1) + i;
            let corners = [v, v + 1, v + n + 2, v + n + 1];
            let (di, dj) = (f64::from(i) - 18.0, f64::from(j) - 12.0);
            let away = di.hypot(dj);
            if away < 3.2 {
                continue;
            }
            if away < 4.2 {
                hole.push(vertices[v as usize]);
            }
            if i > 4 && i < 9 && j > 18 && j < 22 {
                turned.push(corners.iter().map(|&c| vertices[c as usize]).sum::<Vec3>() / 4.0);
                faces.push(&[corners[3], corners[2], corners[1], corners[0]]);
            } else {
                faces.push(&corners);
            }
        }
    }
    let marks = vec![
        ("hole".to_string(), palette::MARKS[0], hole),
        ("turned over".to_string(), palette::MARKS[1], turned),
    ];
    (MeshData::from_faces(vertices, faces), marks)
}

fn contact_sheet() -> Image {
    let bodies = [
        ("ball", shapes::ball(1.0, 8)),
        ("cylinder", shapes::cylinder(0.4, 1.0, 5, 12)),
        ("bar", shapes::bar(Vec3::new(1.0, 0.2, 0.2), [20, 4, 4])),
        ("plate", shapes::plate(1.0, 0.04, 20, 1)),
    ];
    let pictures: Vec<Image> = bodies
        .iter()
        .flat_map(|(name, body)| {
            let (x, t) = (body.vertices(), body.tets());
            let whole = Scene::new().solid(x, t, Cut::None, &Style::default()).camera(Camera::fit());
            let smooth =
                Scene::new().surface(x, &boundary_faces(t), &Style::colour(palette::EMBEDDED).plain());
            [whole.render(400, 300).captioned(name), smooth.camera(Camera::fit()).render(400, 300)]
        })
        .collect();
    Image::sheet(&pictures, 4)
}

fn numbered() -> Image {
    let cube = shapes::bar(Vec3::repeat(1.0), [2, 2, 2]);
    Scene::new()
        .solid(cube.vertices(), cube.tets(), Cut::None, &Style::default())
        .numbered_marks(cube.vertices(), palette::MARKS[1], 4.0)
        .title("AaBbCcDdEeFfGgHhIiJjKkLlMmNnOoPpQqRrSsTtUuVvWwXxYyZz")
        .legend(palette::MARKS[1], "0123456789 .,:;!?-–−+±=<>≤≥×·/()[]{}_'\"*#%&@$°²³µ…→äöüé")
        .legend(palette::MARKS[4], "Volume 1.25 m³, 27 vertices, smallest angle 35.3°, λ is not there")
        .render(960, 540)
        .captioned("the quick brown fox jumps over the lazy dog")
}
