//! Pictures against what optics and geometry say, not against stored bytes, which differ between machines.

use pliant_draw::{
    Camera, Colour, Cut, Field, Image, Options, Paint, Scene, Style, Up, defects_picture, mesh_picture,
    palette,
};
use pliant_linalg::Vec3;
use pliant_mesh::{Kind, MeshData, shapes, topology::boundary_faces};
use proptest::prelude::*;

/// A style that cannot be mistaken for paper or shadow.
fn loud() -> Style {
    Style::colour(Colour::hex(0xc0_1010)).plain()
}

fn is_red(c: Colour) -> bool {
    i32::from(c.r) - i32::from(c.g) > 40
}

fn count(image: &Image, wanted: impl Fn(Colour) -> bool) -> usize {
    (0..image.width * image.height).filter(|i| wanted(image.at(i % image.width, i / image.width))).count()
}

/// Two triangles in the plane z = `z`, square of side 2.
fn square(z: f64) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let corner = |x: f64, y: f64| Vec3::new(x, y, z);
    (vec![corner(-1., -1.), corner(1., -1.), corner(1., 1.), corner(-1., 1.)], vec![[0, 1, 2], [0, 2, 3]])
}

/// A sphere of radius r at distance d fills a circle whose radius has the tangent r/√(d² − r²).
#[test]
fn the_outline_of_a_ball_is_that_of_a_ball() {
    let ball = shapes::ball(1.0, 16);
    let (d, lens): (f64, f64) = (5.0, 40.0);
    let image = Scene::new()
        .surface(ball.vertices(), &boundary_faces(ball.tets()), &loud())
        .camera(Camera::look(Vec3::new(0.0, 0.0, d), Vec3::zeros()).up(Up::Y).lens(lens))
        .render(300, 300);
    let focal = 150.0 / (lens / 2.0).to_radians().tan();
    let exact = std::f64::consts::PI * focal * focal / (d * d - 1.0);
    let area = count(&image, is_red) as f64;
    // The mesh lies inside the sphere by 1 − cos(half an edge) = 0.12 %, and the rim counts pixels by halves.
    assert!((area / exact - 1.0).abs() < 0.012, "{area} pixels, {exact:.0} by the formula");
    assert!(is_red(image.at(150, 150)));
}

#[test]
fn the_nearer_of_two_squares_is_seen_whichever_comes_first() {
    let (near, t) = square(0.5);
    let (far, _) = square(-0.5);
    let blue = Style::colour(Colour::hex(0x10_10c0)).plain();
    let camera = Camera::look(Vec3::new(0.0, 0.0, 6.0), Vec3::zeros()).up(Up::Y);
    let one = Scene::new().surface(&near, &t, &loud()).surface(&far, &t, &blue).camera(camera).render(90, 90);
    let two = Scene::new().surface(&far, &t, &blue).surface(&near, &t, &loud()).camera(camera).render(90, 90);
    assert!(is_red(one.at(45, 45)) && is_red(two.at(45, 45)));
    assert_eq!(one, two);
}

/// Edges are about as wide as asked, and one sees them only on the side where they are.
#[test]
fn an_edge_has_its_width_in_pixels() {
    let (x, t) = square(0.0);
    let camera = Camera::look(Vec3::new(0.0, 0.0, 5.0), Vec3::zeros()).up(Up::Y);
    for (side, width) in [(200, 2.0), (400, 2.0), (400, 4.0)] {
        let style = Style { edge_width: width, ..Style::colour(Colour::hex(0xff_ffff)) };
        let lined = Scene::new().surface(&x, &t, &style).camera(camera).render(side, side);
        let plain = Scene::new().surface(&x, &t, &style.clone().plain()).camera(camera).render(side, side);
        // Across the diagonal, along the row through the middle: darkness added up is width × √2 × strength.
        let row = side / 2 + side / 20;
        let reach = side / 8;
        let light = |image: &Image, x: usize| f64::from(image.at(x, row).light()[1]);
        // Rows run down, so the diagonal from the lower left to the upper right lies left of the middle here.
        let crossing = side - row;
        let dark: f64 = (crossing - reach..crossing + reach)
            .map(|x| (light(&plain, x) - light(&lined, x)) / (light(&plain, x) - 0.017))
            .sum();
        let strength = 0.78;
        let got = dark / strength / 2f64.sqrt();
        assert!((got - width).abs() < 0.25, "{side} pixels: width {got:.2} instead of {width}");
    }
}

/// White paper under a white sky: a face that points up must be brighter than one that points away, and a covered one
/// darker than an open one.
#[test]
fn light_comes_from_above_and_is_kept_off_by_what_is_in_the_way() {
    let bright = |c: Colour| c.oklab()[0];
    let cube = shapes::bar(Vec3::repeat(1.0), [1, 1, 1]);
    let faces = boundary_faces(cube.tets());
    let style = Style::colour(Colour::hex(0x90_9090)).plain();
    let image = Scene::new()
        .surface(cube.vertices(), &faces, &style)
        .camera(Camera::fit().up(Up::Z).turn(45.0, 35.0))
        .render(200, 200);
    let (top, left, right) = (image.at(100, 50), image.at(60, 120), image.at(140, 120));
    assert!(
        bright(top) > bright(left) + 0.05 && bright(left) > bright(right) + 0.05,
        "{top:?} {left:?} {right:?}"
    );
    // The ground beside the cube, away from the lamp, lies in its shadow.
    let (shade, open) = (image.at(185, 125), image.at(15, 125));
    assert!(bright(open) > bright(shade), "{open:?} {shade:?}");
    let (low, t) = square(0.0);
    let (lid, _) = square(0.4);
    let camera = Camera::look(Vec3::new(0.0, -6.0, 1.0), Vec3::zeros()).up(Up::Z);
    let alone = Scene::new().surface(&low, &t, &style).camera(camera);
    let covered = alone.clone().surface(&lid, &t, &style);
    let at = |s: &Scene| bright(s.render(120, 120).at(60, 61));
    assert!(at(&alone) > at(&covered) + 0.1);
}

#[test]
fn backs_holes_fields_and_cuts_have_their_colours() {
    let (x, t) = square(0.0);
    let from = |z: f64| Camera::look(Vec3::new(0.0, 0.0, z), Vec3::zeros()).up(Up::Y);
    let style = Style { back: Colour::hex(0x10_10c0), ..loud() };
    let front = Scene::new().surface(&x, &t, &style).camera(from(5.0)).render(60, 60);
    let back = Scene::new().surface(&x, &t, &style).camera(from(-5.0)).render(60, 60);
    assert!(is_red(front.at(30, 30)));
    assert!(back.at(30, 30).b > back.at(30, 30).r);
    // A field from left to right: dark violet, then light yellow.
    let field = Field::new(vec![0.0, 1.0, 1.0, 0.0], "");
    let image =
        Scene::new().surface(&x, &t, &loud().painted(Paint::Field(field))).camera(from(5.0)).render(100, 100);
    assert!(image.at(80, 50).oklab()[0] > image.at(20, 50).oklab()[0] + 0.3);
    let bar = shapes::bar(Vec3::repeat(1.0), [4, 4, 4]);
    let red_inside = Style { cut: Colour::hex(0xc0_1010), ..Style::default() };
    let cut = |c| {
        let scene = Scene::new().solid(bar.vertices(), bar.tets(), c, &red_inside);
        count(&scene.camera(Camera::fit().up(Up::Y).turn(0.0, 10.0)).render(80, 80), is_red)
    };
    assert_eq!(cut(Cut::None), 0);
    assert!(cut(Cut::plane(Vec3::repeat(0.5), Vec3::z())) > 80 * 80 / 4);
}

#[test]
fn a_mark_is_seen_through_the_surface_but_paler() {
    let (x, t) = square(0.0);
    let white = Style::colour(Colour::hex(0xff_ffff)).plain();
    let at = |z: f64| {
        Scene::new()
            .surface(&x, &t, &white)
            .marks(&[Vec3::new(0.0, 0.0, z)], palette::MARKS[1], 6.0)
            .camera(Camera::look(Vec3::new(0.0, 0.0, 6.0), Vec3::zeros()).up(Up::Y))
            .render(100, 100)
            .at(50, 50)
    };
    let distance = |a: Colour, b: Colour| {
        let (a, b) = (a.oklab(), b.oklab());
        (0..3).map(|c| (a[c] - b[c]).powi(2)).sum::<f64>().sqrt()
    };
    let (open, hidden) = (at(0.1), at(-0.5));
    assert!(distance(open, palette::MARKS[1]) < 0.02, "{open:?}");
    assert!(distance(hidden, open) > 0.1 && hidden.b > hidden.r, "{hidden:?}");
}

#[test]
fn the_bytes_do_not_depend_on_the_number_of_threads() {
    let mesh = shapes::ball(0.5, 6).into_data();
    let draw = |threads: usize| {
        let pool = rayon_pool(threads);
        pool.install(|| {
            mesh_picture(&mesh, &Options { width: 240, height: 120, ..Options::titled("ball") }).to_png()
        })
    };
    assert_eq!(draw(1), draw(3));
}

fn rayon_pool(threads: usize) -> rayon::ThreadPool {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads can be started")
}

#[test]
fn absurd_scenes_give_a_picture_all_the_same() {
    let empty = Scene::new().render(1, 1);
    assert_eq!(empty.rgba.len(), 4);
    assert_eq!(Scene::new().render(0, 0).rgba.len(), 4);
    let ball = shapes::ball(1.0, 2);
    let faces = boundary_faces(ball.tets());
    let usual =
        Scene::new().surface(ball.vertices(), &faces, &loud()).camera(Camera::fit().up(Up::Y)).render(64, 48);
    for scale in [1e-300, 1e-9, 1e9, 1e300] {
        let x: Vec<Vec3> = ball.vertices().iter().map(|p| p * scale).collect();
        let image = Scene::new().surface(&x, &faces, &loud()).camera(Camera::fit().up(Up::Y)).render(64, 48);
        let different = image.rgba.iter().zip(&usual.rgba).filter(|(a, b)| a.abs_diff(**b) > 2).count();
        assert!(different < 40, "scale {scale:e}: {different} bytes differ");
    }
    // Inside the body, on its surface, looking nowhere, at NaN.
    for (eye, target) in [
        (Vec3::zeros(), Vec3::x()),
        (Vec3::x(), Vec3::zeros()),
        (Vec3::x(), Vec3::x()),
        (Vec3::repeat(f64::NAN), Vec3::zeros()),
        (Vec3::z() * 3.0, Vec3::zeros()),
    ] {
        let scene = Scene::new().surface(ball.vertices(), &faces, &Style::default());
        scene.camera(Camera::look(eye, target)).render(40, 30);
    }
    for camera in
        [Camera::fit().lens(f64::NAN).turn(f64::INFINITY, f64::NAN), Camera::fit().lens(1e9).turn(1e9, 1e9)]
    {
        Scene::new().surface(ball.vertices(), &faces, &Style::default()).camera(camera).render(33, 1);
    }
}

#[test]
fn a_picture_of_one_row_has_one_row() {
    let bar = shapes::bar(Vec3::new(9.0, 0.5, 0.5), [9, 1, 1]).into_data();
    for (width, height) in [(5, 1), (2, 1), (1, 1), (5, 2), (40, 3)] {
        let image = mesh_picture(&bar, &Options { width, height, ..Options::titled("bar") });
        assert_eq!((image.width, image.height), (width, height));
    }
}

fn any_number() -> impl Strategy<Value = f64> {
    prop_oneof![
        6 => -2.0..2.0f64,
        1 => any::<f64>(),
        1 => prop_oneof![Just(f64::NAN), Just(f64::INFINITY), Just(0.0), Just(1e308), Just(-1e308), Just(5e-324)],
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn no_soup_makes_it_panic(
        points in proptest::collection::vec([any_number(), any_number(), any_number()].prop_map(Vec3::from), 0..12),
        triangles in proptest::collection::vec([0..14u32, 0..14u32, 0..14u32], 0..20),
        tets in proptest::collection::vec([0..14u32, 0..14u32, 0..14u32, 0..14u32], 0..10),
        values in proptest::collection::vec(any_number(), 0..14),
        [azimuth, elevation, lens, radius, width] in [any_number(), any_number(), any_number(), any_number(), any_number()],
        (w, h) in (0usize..70, 0usize..50),
    ) {
        let style = Style { edge_width: width, crease: lens, ..Style::default() };
        let field = Style::default().painted(Paint::Field(Field::new(values, "a field")));
        let image = Scene::new()
            .surface(&points, &triangles, &style)
            .solid(&points, &tets, Cut::half(&points, &tets, Vec3::new(azimuth, elevation, lens)), &field)
            .numbered_marks(&points, palette::MARKS[2], radius)
            .title("soup").legend(palette::INK, "nothing").legend(palette::INK, "more")
            .camera(Camera { azimuth, elevation, lens, margin: radius, ..Camera::fit() })
            .render(w, h)
            .captioned("soup");
        prop_assert_eq!(image.rgba.len(), 4 * image.width * image.height);
        prop_assert!(image.rgba.chunks(4).all(|p| p[3] == 255));
    }

    #[test]
    fn any_consistent_mesh_has_a_picture(
        mesh in prop_oneof![
            pliant_testkit::strategies::mesh(Kind::Tets),
            pliant_testkit::strategies::mesh(Kind::Triangles),
            pliant_testkit::strategies::mesh(Kind::Quads),
            pliant_testkit::strategies::mesh(Kind::Polygons),
        ],
        (w, h) in (1usize..120, 1usize..60),
    ) {
        let options = Options { width: w, height: h, ..Options::titled("any") };
        let image = mesh_picture(&mesh, &options);
        prop_assert_eq!((image.width, image.height), (w, h));
        let marks = [("places".to_string(), palette::MARKS[0], mesh.vertices.clone())];
        let image = defects_picture(&mesh, &marks, &options);
        prop_assert_eq!((image.width, image.height), (w, h));
    }
}

#[test]
fn real_meshes_fill_their_picture() {
    let Some(data) = pliant_testkit::shared::data() else { return };
    for name in
        ["tets/bunny_37k.mesh", "tets/turtle/turtle-volumetric-heterogeneous.veg", "tets/letterA/A.veg"]
    {
        let mesh: MeshData = pliant_mesh::io::load(&data.join(name)).expect(name).mesh;
        let options = Options { width: 320, height: 180, ..Options::default() };
        let image = mesh_picture(&mesh, &options);
        let [high, low] = palette::PAPER;
        let paper = |c: Colour| c.r >= low.r.min(high.r) - 60 && c.r.abs_diff(c.b) < 16;
        let filled = count(&image, |c| !paper(c)) as f64 / (320.0 * 180.0);
        assert!((0.08..0.7).contains(&filled), "{name}: {filled:.2} of the picture");
    }
}
