//! A fine surface tied to a coarse solid: every point of it is carried by the four corners of one tet.
//!
//! ```text
//! p = Σ wᵢ xᵢ,  Σ wᵢ = 1                                                 (1)
//! ```
//! The weights are the barycentric coordinates of the point in the tet that holds it. A point outside the solid takes
//! the tet that is truly nearest (distance to the tet, not to its middle); its weights extrapolate, so some are
//! negative, and (1) holds all the same: rest positions are reproduced, and an affine motion of the solid moves the
//! surface by the very same map. Among equally near tets, as around a corner of the solid, the one that extrapolates
//! least is taken: a sliver would magnify every motion.
//!
//! Not for surfaces far from the solid: extrapolation over a distance of many edge lengths magnifies bending. The
//! report tells the distances. Source: MG04 in docs/papers.md (a surface carried by the tets of a coarse solid).

use pliant_linalg::{Progress, Vec3, Watch, ignore_progress};
use rayon::prelude::*;

use crate::bvh::Bvh;
use crate::data::{Embedded, bounds};
use crate::measure::TET_FACES;
use crate::{Embedding, Region, Result, SurfaceMesh, TetMesh};

/// How well the points lie in the solid.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct EmbedReport {
    /// How many points were tied.
    pub points: usize,
    /// How many of them lie outside the solid, by more than round-off (1e-12 of its bounding box).
    pub outside: usize,
    /// The largest distance of a point from the solid, metres; 0 when none is outside.
    pub largest_distance: f64,
    /// The mean distance of those outside, metres; 0 when none is outside.
    pub mean_distance: f64,
    /// The point farthest outside.
    pub farthest: Option<u32>,
}

/// Ties `points` (metres) to the solid.
///
/// # Errors
/// When a point is not finite, or `watch` asks to stop.
pub fn embed(solid: &TetMesh, points: &[Vec3], watch: &mut Watch<'_>) -> Result<(Embedding, EmbedReport)> {
    crate::data::check_vertices(points)?;
    let tree = Bvh::of_tets(solid.vertices(), solid.tets());
    let [low, high] = bounds(solid.vertices());
    let size = (high - low).norm();
    let mut embedding = Embedding::default();
    let mut report = EmbedReport { points: points.len(), ..EmbedReport::default() };
    let mut sum = 0.0;
    for (chunk, some) in points.chunks(CHUNK).enumerate() {
        Progress { stage: "embedding", done: chunk * CHUNK, total: points.len() }.tell(watch)?;
        let rows: Vec<Carrier> = some.par_iter().map(|p| carrier(solid, &tree, size, p)).collect();
        for (i, row) in rows.into_iter().enumerate() {
            embedding.push(solid.tets()[row.tet as usize].into_iter().zip(row.weights));
            if row.distance > ROUND_OFF * size {
                report.outside += 1;
                sum += row.distance;
                if row.distance > report.largest_distance {
                    report.largest_distance = row.distance;
                    report.farthest = Some((chunk * CHUNK + i) as u32);
                }
            }
        }
    }
    if report.outside > 0 {
        report.mean_distance = sum / report.outside as f64;
    }
    Ok((embedding, report))
}

/// The tet that holds each of `points` (metres), or the nearest one.
///
/// # Errors
/// As [`embed`].
pub fn locate(solid: &TetMesh, points: &[Vec3], watch: &mut Watch<'_>) -> Result<Vec<u32>> {
    crate::data::check_vertices(points)?;
    let tree = Bvh::of_tets(solid.vertices(), solid.tets());
    let [low, high] = bounds(solid.vertices());
    let size = (high - low).norm();
    let mut tets = Vec::with_capacity(points.len());
    for (chunk, some) in points.chunks(CHUNK).enumerate() {
        Progress { stage: "embedding", done: chunk * CHUNK, total: points.len() }.tell(watch)?;
        tets.par_extend(some.par_iter().map(|p| carrier(solid, &tree, size, p).tet));
    }
    Ok(tets)
}

/// Ties a surface to a solid and stores it there, in place of one that may have been there before.
///
/// ```
/// use pliant_mesh::{Faces, SurfaceMesh, embed, shapes, topology};
/// let fine = shapes::ball(1.0, 8);
/// let skin = Faces::from_triangles(&topology::boundary_faces(fine.tets()));
/// let surface = SurfaceMesh::new(fine.vertices().to_vec(), skin)?;
/// let (body, report) = embed::attach(shapes::ball(1.0, 3), &surface)?;
/// assert!(report.largest_distance < 0.05);
/// assert!(body.attributes().embedded.is_some());
/// # Ok::<(), pliant_mesh::MeshError>(())
/// ```
///
/// # Errors
/// As [`embed`].
pub fn attach(solid: TetMesh, surface: &SurfaceMesh) -> Result<(TetMesh, EmbedReport)> {
    let (embedding, report) = embed(&solid, surface.vertices(), &mut ignore_progress)?;
    let mut attributes = solid.attributes().clone();
    attributes.embedded = Some(Embedded {
        vertices: surface.vertices().to_vec(),
        faces: surface.faces().clone(),
        embedding,
        // Materials belong to the solid.
        regions: surface
            .attributes()
            .regions
            .iter()
            .map(|r| Region { material: None, ..r.clone() })
            .collect(),
        region_of: surface.attributes().region_of.clone(),
    });
    Ok((solid.with_attributes(attributes)?, report))
}

/// Points between two words to the watch.
const CHUNK: usize = 1 << 14;

/// Distances below this part of the body are none.
const ROUND_OFF: f64 = 1e-12;

struct Carrier {
    tet: u32,
    weights: [f64; 4],
    distance: f64,
}

fn carrier(solid: &TetMesh, tree: &Bvh, size: f64, p: &Vec3) -> Carrier {
    let distance_squared = |t: u32| tet_distance_squared(&solid.corners(t as usize), p);
    let (tet, squared) = tree.nearest(p, distance_squared).expect("a checked solid has at least one tet");
    if squared == 0.0 {
        return Carrier { tet, weights: barycentric(&solid.corners(tet as usize), p), distance: 0.0 };
    }
    // Equally near up to rounding: the corner or edge of the solid that is nearest belongs to all of them.
    let reach = squared.sqrt() + ROUND_OFF * size;
    let mut best =
        Carrier { tet, weights: barycentric(&solid.corners(tet as usize), p), distance: squared.sqrt() };
    let least = |w: &[f64; 4]| w.iter().copied().fold(f64::INFINITY, f64::min);
    tree.visit(
        |b| b.distance_squared(p) <= reach * reach,
        |t| {
            let corners = solid.corners(t as usize);
            if tet_distance_squared(&corners, p) <= reach * reach {
                let weights = barycentric(&corners, p);
                let better = least(&weights) - least(&best.weights);
                if better > 0.0 || (better == 0.0 && t < best.tet) {
                    (best.tet, best.weights) = (t, weights);
                }
            }
        },
    );
    best
}

/// Barycentric coordinates of `p`; they sum to 1 and may be negative. Solved once more for what rounding left over, so
/// that (1) holds to the last digits even in a bad tet.
fn barycentric(x: &[Vec3; 4], p: &Vec3) -> [f64; 4] {
    let (a, b, c) = (x[1] - x[0], x[2] - x[0], x[3] - x[0]);
    let (bc, ca, ab) = (b.cross(&c), c.cross(&a), a.cross(&b));
    let six_volumes = a.dot(&bc);
    let solve = |d: Vec3| Vec3::new(bc.dot(&d), ca.dot(&d), ab.dot(&d)) / six_volumes;
    let d = p - x[0];
    let first = solve(d);
    let w = first + solve(d - a * first.x - b * first.y - c * first.z);
    [1.0 - w.x - w.y - w.z, w.x, w.y, w.z]
}

/// Square of the distance from `p` to the tet; 0 inside.
fn tet_distance_squared(x: &[Vec3; 4], p: &Vec3) -> f64 {
    let mut best = f64::INFINITY;
    let mut inside = true;
    for face in TET_FACES {
        let t = face.map(|c| x[c]);
        let normal = (t[1] - t[0]).cross(&(t[2] - t[0]));
        if normal.dot(&(p - t[0])) > 0.0 {
            inside = false;
            best = best.min(triangle_distance_squared(&t, p));
        }
    }
    if inside { 0.0 } else { best }
}

/// Square of the distance from `p` to the triangle: the nearest of its inside, its edges and its corners, found by the
/// region in which `p` lies (Ericson, Real-Time Collision Detection, 5.1.5).
pub(crate) fn triangle_distance_squared(t: &[Vec3; 3], p: &Vec3) -> f64 {
    let (ab, ac, ap) = (t[1] - t[0], t[2] - t[0], p - t[0]);
    let normal = ab.cross(&ac);
    // Inside the prism over the triangle the plane is nearest; the three edges decide.
    let beyond = |s: Vec3, e: Vec3| (e - s).cross(&(p - s)).dot(&normal) < 0.0;
    if !(beyond(t[0], t[1]) || beyond(t[1], t[2]) || beyond(t[2], t[0])) && normal.norm_squared() > 0.0 {
        let height = ap.dot(&normal);
        return height * height / normal.norm_squared();
    }
    let to_segment = |s: Vec3, e: Vec3| {
        let along = e - s;
        let square = along.norm_squared();
        let k = if square > 0.0 { ((p - s).dot(&along) / square).clamp(0.0, 1.0) } else { 0.0 };
        (p - s - along * k).norm_squared()
    };
    to_segment(t[0], t[1]).min(to_segment(t[1], t[2])).min(to_segment(t[2], t[0]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shapes;
    use pliant_linalg::Mat3;
    use proptest::prelude::*;

    fn point(range: f64) -> impl Strategy<Value = Vec3> {
        [-range..range, -range..range, -range..range].prop_map(Vec3::from)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn rest_positions_are_reproduced_and_affine_motions_carried(
            points in proptest::collection::vec(point(2.0), 1..40),
            rows in proptest::collection::vec(point(2.0), 3),
            shift in point(3.0),
        ) {
            let solid = shapes::ball(1.0, 2);
            let (embedding, report) = embed(&solid, &points, &mut ignore_progress).unwrap();
            prop_assert_eq!(embedding.len(), points.len());
            let map = Mat3::from_columns(&rows);
            let moved: Vec<Vec3> = solid.vertices().iter().map(|x| map * x + shift).collect();
            let (rest, carried) = (embedding.apply(solid.vertices()), embedding.apply(&moved));
            for (i, p) in points.iter().enumerate() {
                prop_assert!((rest[i] - p).norm() < 2e-12, "point {}: {} instead of {}", i, rest[i], p);
                prop_assert!((carried[i] - (map * p + shift)).norm() < 2e-11);
                let sum: f64 = embedding.row(i).map(|(_, w)| w).sum();
                prop_assert!((sum - 1.0).abs() < 1e-12, "weights sum to {}", sum);
            }
            let inside = points.iter().filter(|p| p.norm() < 0.75).count();
            let beyond = points.iter().filter(|p| p.norm() > 1.0).count();
            prop_assert!(report.outside >= beyond && report.outside <= points.len() - inside);
        }

        #[test]
        fn the_distance_to_a_tet_is_that_of_a_plain_search(p in point(2.0)) {
            let solid = shapes::bar(Vec3::new(1.0, 1.0, 1.0), [1, 1, 1]);
            // The cube [0, 1]³ is the union of its tets, so the least distance is that to the cube.
            let least = (0..6).map(|t| tet_distance_squared(&solid.corners(t), &p)).fold(f64::INFINITY, f64::min);
            let cube = (p - p.map(|x| x.clamp(0.0, 1.0))).norm_squared();
            prop_assert!((least - cube).abs() < 1e-12, "{} instead of {}", least, cube);
        }
    }

    #[test]
    fn distances_of_a_known_case() {
        let solid = shapes::bar(Vec3::new(1.0, 1.0, 1.0), [2, 2, 2]);
        let points = [[0.3, 0.4, 0.2], [0.5, 0.5, 1.25], [-3.0, -4.0, 0.5], [1.0, 1.0, 1.0], [0.0, 0.2, 0.9]];
        let (_, report) = embed(&solid, &points.map(Vec3::from), &mut ignore_progress).unwrap();
        assert_eq!((report.points, report.outside, report.farthest), (5, 2, Some(2)));
        assert!((report.largest_distance - 5.0).abs() < 1e-12);
        assert!((report.mean_distance - 2.625).abs() < 1e-12);
    }

    #[test]
    fn a_vertex_of_the_solid_carries_itself() {
        let solid = shapes::ball(1.0, 2);
        let (embedding, report) = embed(&solid, solid.vertices(), &mut ignore_progress).unwrap();
        assert_eq!(report.outside, 0);
        for v in 0..solid.vertices().len() {
            let own: f64 = embedding.row(v).filter(|(w, _)| *w == v as u32).map(|(_, w)| w).sum();
            assert!((own - 1.0).abs() < 1e-12, "vertex {v}: {own}");
        }
    }

    #[test]
    fn work_can_be_stopped_and_points_must_be_finite() {
        let solid = shapes::ball(1.0, 1);
        let stop = &mut |_: Progress| std::ops::ControlFlow::Break(());
        assert!(matches!(embed(&solid, &[Vec3::zeros()], stop), Err(crate::MeshError::Cancelled)));
        let lost = [Vec3::new(0.0, f64::NAN, 0.0)];
        assert!(embed(&solid, &lost, &mut ignore_progress).is_err());
    }

    #[test]
    fn interpolation_files_of_vega_fit_their_solids() {
        let Some(data) = pliant_testkit::shared::data() else { return };
        for (interp, solid, obj, rows) in [
            (
                "simpleBridge/simpleBridge.interp",
                "simpleBridge/simpleBridge-ic_128_0.15_.1.veg",
                "simpleBridge/simpleBridge.obj",
                16085,
            ),
            (
                "asianDragon/asianDragon.interp",
                "asianDragon/asianDragon.veg",
                "asianDragon/asianDragon.obj",
                25002,
            ),
            ("turtle/turtle.interp", "turtle/turtle-volumetric-homogeneous.veg", "turtle/turtle.obj", 1961),
        ] {
            let folder = data.join("tets");
            let embedding =
                crate::io::interp::read(&crate::io::Source::open(&folder.join(interp)).unwrap()).unwrap();
            let solid = crate::io::load(&folder.join(solid)).unwrap().mesh;
            assert_eq!(embedding.len(), rows, "{interp}");
            for p in 0..rows {
                let sum: f64 = embedding.row(p).map(|(_, w)| w).sum();
                assert!((sum - 1.0).abs() < 2e-5, "{interp}: row {p} sums to {sum}");
            }
            let path = folder.join(obj);
            if crate::io::format_of(&path).is_err() {
                continue;
            }
            // The files carry six digits; positions agree to that part of the body.
            let surface = crate::io::load(&path).unwrap().mesh;
            let [low, high] = solid.bounds();
            let size = (high - low).norm();
            let placed = embedding.apply(&solid.vertices);
            let worst = placed.iter().zip(&surface.vertices).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
            assert!(worst < 1e-5 * size, "{interp}: {worst:.1e} of a body of {size}");
        }
    }
}
