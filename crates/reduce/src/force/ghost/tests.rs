//! What a stand-in must have in common with the body it stands for.

use pliant_energy::Tangent;
use pliant_linalg::{DenseSymmetric, ignore_progress};
use pliant_mesh::decimate::{Target, decimate};
use pliant_mesh::shapes::{self, ShapeOptions};
use pliant_mesh::{Region, SurfaceMesh, select};
use pliant_testkit::derivative::assert_derivative;

use super::line::line;
use super::*;
use crate::force::{Projected, ReducedForce};
use crate::{Request, basis};

struct Case {
    mesh: MeshData,
    recipe: Recipe,
    body: Arc<Body>,
    basis: Basis,
}

impl Case {
    fn new(mesh: MeshData, material: &str, fix: &str, modes: usize) -> Self {
        let fixed = vec![select::select(&mesh, fix).expect("a selection")];
        let recipe = Recipe { material: Some(material.into()), fixed, ..Recipe::default() };
        let body = Arc::new(recipe.build(mesh.clone()).expect("a body"));
        let make = basis::find("derivatives").expect("there").make;
        let request = Request::of_modes(modes);
        let basis = make(&body, &request, &mut ignore_progress).expect("a basis").basis;
        Self { mesh, recipe, body, basis }
    }

    /// A shell with less resistance to bending than to stretching, in its linear modes.
    fn with_bend(mesh: MeshData, fix: &str, bend: f64) -> Self {
        let fixed = vec![select::select(&mesh, fix).expect("a selection")];
        let recipe = Recipe { bend: Some(bend), fixed, ..Recipe::default() };
        let body = Arc::new(recipe.build(mesh.clone()).expect("a body"));
        let make = basis::find("modes").expect("there").make;
        let request = Request::of_modes(6);
        let basis = make(&body, &request, &mut ignore_progress).expect("a basis").basis;
        Self { mesh, recipe, body, basis }
    }

    fn source(&self) -> Source<'_> {
        Source { mesh: &self.mesh, recipe: &self.recipe, body: &self.body }
    }

    fn ghost(&self, vertices: usize) -> Ghost {
        Ghost::make(self.source(), &self.basis, vertices, &mut ignore_progress).expect("a ghost").ghost
    }

    /// Coordinates along which the farthest vertex moves by `reach`, metres: column k alone.
    fn direction(&self, k: usize, reach: f64) -> Vec<f64> {
        let r = self.basis.rank();
        let q: Vec<f64> = (0..r).map(|i| if i == k { 1.0 } else { 0.0 }).collect();
        let mut u = vec![0.0; self.basis.size()];
        self.basis.expand(&q, &mut u);
        let most = u.chunks_exact(3).map(|u| Vec3::new(u[0], u[1], u[2]).norm()).fold(0.0, f64::max);
        q.iter().map(|q| q * reach / most).collect()
    }
}

fn made(name: &str, subdivision: usize) -> MeshData {
    let options = ShapeOptions { subdivision: Some(subdivision), ..ShapeOptions::default() };
    shapes::find(name).and_then(|s| s.make(&options, &mut ignore_progress)).expect("a shape")
}

/// A sheet in the form of a shallow wave, so that it is no plane at rest.
fn wave(n: usize) -> MeshData {
    let mut sheet = made("cloth", n);
    sheet.vertices.iter_mut().for_each(|p| p.y = 0.1 * (4.0 * p.x).sin() * (3.0 * p.z).cos());
    sheet
}

fn bar(cells: [usize; 3]) -> MeshData {
    shapes::bar(Vec3::new(1.0, 0.3, 0.3), cells).into_data()
}

#[test]
fn a_ghost_of_all_vertices_is_the_body() {
    for case in [
        Case::new(wave(7), "discrete-shells", "x<5%", 4),
        Case::new(bar([5, 2, 2]), "stable-neo-hookean", "x<5%", 4),
    ] {
        let ghost = case.ghost(case.mesh.vertices.len());
        assert!(ghost.weights.iter().all(|w| (w - 1.0).abs() < 1e-12));
        let mut ours = ghost.force(&case.recipe, &case.mesh).expect("a force");
        let mut exact = Projected::new(case.body.clone(), case.basis.clone());
        let q = case.direction(1, 0.1);
        let (a, b) = (ours.energy(&q).expect("admitted"), exact.energy(&q).expect("admitted"));
        assert!((a - b).abs() <= 1e-11 * b, "{a} vs {b}");
    }
}

#[test]
fn affine_motions_of_the_body_are_those_of_the_ghost() {
    // Columns of U: x ↦ A x + b for twelve maps.
    for (mesh, material) in [(wave(12), "discrete-shells"), (bar([8, 3, 3]), "stvk")] {
        let mut case = Case::new(mesh, material, "none", 2);
        let mut columns = Vec::new();
        for k in 0..12 {
            for x in &case.mesh.vertices {
                let mut u = [0.0; 3];
                u[k % 3] = if k < 3 { 1.0 } else { x[k / 3 - 1] };
                columns.extend(u);
            }
        }
        case.basis = Basis::from_columns(&columns, case.body.size());
        let ghost = case.ghost(60);
        assert!(ghost.vertices.len() < case.mesh.vertices.len());
        for (x, rows) in ghost.vertices.iter().zip(ghost.rows.chunks_exact(36)) {
            for k in 0..12 {
                let expected = if k < 3 { 1.0 } else { x[k / 3 - 1] };
                let found = [rows[k], rows[12 + k], rows[24 + k]];
                for (d, found) in found.into_iter().enumerate() {
                    let expected = if d == k % 3 { expected } else { 0.0 };
                    assert!((found - expected).abs() < 1e-12, "{material}: {found} instead of {expected}");
                }
            }
        }
        // A true rotation costs nothing: (R − I) x about z by one radian, from the columns of x and y.
        let mut q = vec![0.0; 12];
        let (s, c) = 1_f64.sin_cos();
        (q[3], q[4], q[6], q[7]) = (c - 1.0, s, -s, c - 1.0);
        let mut force = ghost.force(&case.recipe, &case.mesh).expect("a force");
        let turned = force.energy(&q).expect("admitted");
        q[3] += 0.01;
        let stretched = force.energy(&q).expect("admitted");
        assert!(turned.abs() < 1e-12 * stretched, "{material}: {turned} of {stretched}");
        // Rows that are means do not fit a rest elsewhere, as where the collapse puts a vertex.
        if matches!(ghost.elements, Elements::Faces(_)) {
            let fine = SurfaceMesh::from_data(case.mesh.clone()).expect("a surface");
            let found = decimate(&fine, Target::Vertices(60), &mut ignore_progress).expect("coarse");
            let elsewhere = Ghost { vertices: found.surface.vertices().to_vec(), ..ghost.clone() };
            let mut force = elsewhere.force(&case.recipe, &case.mesh).expect("a force");
            let mut q = q.clone();
            q[3] -= 0.01;
            let turned = force.energy(&q).expect("admitted");
            assert!(turned > 1e-3 * stretched, "{turned} of {stretched}");
        }
        // And a stretch costs what it costs the body: that is what the weights are for.
        let q: Vec<f64> = (0..12).map(|k| if k >= 3 && k % 4 == 3 { 2e-3 } else { 0.0 }).collect();
        let (a, b) = (force.energy(&q), Projected::new(case.body.clone(), case.basis.clone()).energy(&q));
        let (a, b) = (a.expect("admitted"), b.expect("admitted"));
        assert!((a / b - 1.0).abs() < 1e-2, "{material}: {a} vs {b}");
    }
}

#[test]
fn force_and_stiffness_are_derivatives() {
    for case in [
        Case::new(wave(12), "discrete-shells", "x<5%", 3),
        Case::new(bar([8, 3, 3]), "stable-neo-hookean", "x<5%", 3),
    ] {
        derivatives_hold(&case);
    }
}

fn derivatives_hold(case: &Case) {
    let mut force = case.ghost(60).force(&case.recipe, &case.mesh).expect("a force");
    let (q, dq) = (case.direction(0, 0.05), case.direction(1, 0.05));
    let r = q.len();
    let at = |t: f64| -> Vec<f64> { q.iter().zip(&dq).map(|(q, d)| q + t * d).collect() };
    let dot = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>();
    let mut f = vec![0.0; r];
    force.force(&q, &mut f).expect("admitted");
    let copy = force.clone();
    assert_derivative("energy", |t| copy.clone().energy(&at(t)).expect("admitted"), dot(&f, &dq));
    let mut K = DenseSymmetric::zeros(r);
    force.stiffness(&q, Tangent::Exact, &mut K).expect("admitted");
    let mut product = vec![0.0; r];
    K.apply(&dq, &mut product);
    let along = |t: f64| {
        let mut f = vec![0.0; r];
        copy.clone().force(&at(t), &mut f).expect("admitted");
        dot(&f, &dq)
    };
    assert_derivative("force", along, dot(&product, &dq));
    // Energy and force at once, and the product without the matrix, are the same.
    let (mut f_too, mut along) = (vec![0.0; r], vec![0.0; r]);
    let energy = force.energy_and_force(&q, &mut f_too).expect("admitted");
    assert_eq!((energy, &f_too), (force.energy(&q).expect("admitted"), &f));
    force.force_along(&q, &dq, &mut f_too, &mut along, &mut K).expect("admitted");
    let near = |x: &[f64], y: &[f64]| {
        let size = dot(y, y).sqrt();
        x.iter().zip(y).all(|(x, y)| (x - y).abs() < 1e-10 * size)
    };
    assert!(near(&f_too, &f) && near(&along, &product));
}

/// Errors of the ghosts and of the Taylor series of second and third order, along a line.
fn errors(case: &Case, k: usize, reach: f64, sizes: &[usize]) -> (Vec<f64>, f64, f64) {
    let direction = case.direction(k, reach);
    let line = line(case.source(), &case.basis, &direction, 21, sizes, &mut ignore_progress).expect("a line");
    let of = |energy: &[f64]| line.error(energy);
    (line.ghosts.iter().map(|g| of(&g.energy)).collect(), of(&line.quadratic), of(&line.cubic))
}

/// A sheet of triangles without a pattern, as scanned or remeshed surfaces have them: a shallow wave.
fn irregular(vertices: usize) -> MeshData {
    let fine = SurfaceMesh::from_data(wave(90)).expect("a sheet");
    let found = decimate(&fine, Target::Vertices(vertices), &mut ignore_progress).expect("coarse");
    found.surface.into_data()
}

/// What T14 Figure 3.13 shows, at a tenth of its sizes: each ghost has at most `fall` of the error of the one before, and
/// the largest at most a fifth of that of both Taylor series.
#[track_caller]
fn falls(name: &str, case: &Case, fall: f64, sizes: &[usize]) {
    for k in 0..2 {
        let (ghosts, quadratic, cubic) = errors(case, k, 0.2, sizes);
        let told =
            format!("{name}, mode {k}: {ghosts:.4?} of {sizes:?}, Taylor {quadratic:.3} and {cubic:.3}");
        assert!(ghosts.windows(2).all(|e| e[1] <= fall * e[0]), "{told}");
        assert!(ghosts.last().is_some_and(|e| *e <= 0.2 * quadratic.min(cubic)), "{told}");
    }
}

#[test]
fn errors_fall_with_the_size_and_below_those_of_taylor_series() {
    falls(
        "ball",
        &Case::with_bend(shapes::ball(0.5, 12).boundary().into_data(), "x<20%", 1e-4),
        0.7,
        &[100, 300, 900],
    );
    // A sheet has nothing that its smallest ghost could lose: what is left is the pattern of the triangles.
    let sheet = Case::with_bend(irregular(3000), "x<5%", 1e-4);
    for k in 0..2 {
        let (ghosts, quadratic, _) = errors(&sheet, k, 0.2, &[100, 300, 900]);
        assert!(ghosts.iter().all(|&e| e < 0.12) && quadratic > 0.9, "{ghosts:?}, Taylor {quadratic}");
    }
    let Some(data) = pliant_testkit::shared::data() else { return };
    let mut bunny = pliant_mesh::io::load(&data.join("surfaces/bunny.off")).expect("a surface").mesh;
    bunny.scale_to(1.0).expect("a size");
    falls("bunny", &Case::with_bend(bunny, "y<10%", 1e-4), 0.8, &[100, 300, 900]);
}

#[test]
fn a_coarse_solid_follows_where_a_taylor_series_cannot() {
    let case = Case::new(bar([18, 6, 6]), "stable-neo-hookean", "x<5%", 4);
    let (ghosts, quadratic, cubic) = errors(&case, 0, 0.3, &[60, 200, 700]);
    // Sixty vertices show its bending already; what is left is how the fine tets themselves are cut.
    assert!(
        ghosts.iter().all(|&e| e < 0.02) && quadratic.min(cubic) > 0.5,
        "{ghosts:?}, {quadratic} {cubic}"
    );
}

#[test]
fn regions_are_carried_over() {
    let mut mesh = bar([12, 4, 4]);
    let Elements::Tets(tets) = &mesh.elements else { panic!("tets") };
    let centre = |t: &[u32; 4]| t.iter().map(|&v| mesh.vertices[v as usize].x).sum::<f64>() / 4.0;
    mesh.attributes.region_of = tets.iter().map(|t| u32::from(centre(t) > 0.5)).collect();
    mesh.attributes.regions =
        ["left", "right"].map(|name| Region { name: name.into(), material: None }).to_vec();
    let case = Case::new(mesh, "stvk", "x<5%", 2);
    let ghost = case.ghost(150);
    let coarse = ghost.mesh(&case.mesh);
    coarse.check().expect("sound");
    for (e, &region) in ghost.region_of.iter().enumerate() {
        let x = coarse.elements.get(e).iter().map(|&v| coarse.vertices[v as usize].x).sum::<f64>() / 4.0;
        assert_eq!(region, u32::from(x > 0.5), "a tet at {x}");
    }
}

#[test]
fn sizes_that_make_no_ghost_are_refused() {
    let case = Case::new(wave(6), "discrete-shells", "x<5%", 2);
    let error = |n: usize| {
        let settings = Settings { ghost: Some(n), ..Settings::default() };
        let early = (ENTRY.check)(&case.body, None, &settings).expect_err("refused").to_string();
        let late = Ghost::make(case.source(), &case.basis, n, &mut ignore_progress)
            .map(drop)
            .expect_err("refused")
            .to_string();
        assert_eq!(early, late);
        early
    };
    assert!(error(50).contains("only 49"), "{}", error(50));
    assert!(error(3).contains("at least 4"), "{}", error(3));
    assert_eq!(usual_size(&case.body), 49);
    let thin = shapes::plate(1.0, 0.01, 20, 1).into_data();
    let case = Case::new(thin, "stvk", "x<5%", 2);
    let error = Ghost::make(case.source(), &case.basis, 30, &mut ignore_progress)
        .map(drop)
        .expect_err("thin")
        .to_string();
    assert!(error.contains("too coarse") && error.contains("number of ghost vertices"), "{error}");
}
