//! From a mesh to a body that can be pulled in real time: examine, fill, hold, reduce.

use pliant::energy::Recipe;
use pliant::linalg::Progress;
use pliant::mesh::tetrahedralise::{self, Size};
use pliant::mesh::{Elements, Kind, MeshData, MeshError, SurfaceMesh, TetMesh, doctor, embed, select};
use pliant::reduce::force::Settings;
use pliant::reduce::{Model, Precompute, ReduceError};
use pliant::sim::accuracy::usual_hold;

use super::report::Report;
use crate::protocol::{Event, Finding};
use crate::shape::{self, Skin};

/// Tets of a solid that is made of a surface: fine enough to bend well, and reduced in seconds.
const TETS: usize = 9_000;

/// Places of a finding that are told.
const PLACES: usize = 200;

/// An open surface whose rims, all together, are shorter than this part of the root of its area encloses a volume but for
/// some holes. Of a square sheet the figure is 4, of half a sphere 2.5.
const HOLES: f64 = 0.6;

/// Swings a second that are pleasant to look at, and what a body gets that has fewer or more.
const PLEASANT: std::ops::RangeInclusive<f64> = 1.0..=6.0;
const SWINGS: f64 = 2.5;

/// Points of the cubature of a sheet: its forces are stiff and local, three for each coordinate are not enough.
const POINTS_OF_A_SHEET: usize = 250;

/// What to make of a body for the studio: a step takes a small part of 1/240 s, and all of the 44 modes and derivatives
/// have room, so that the frequencies of the modes are the body's.
pub(crate) fn precompute() -> Precompute {
    let usual = Settings { poses: 200, ..Settings::default() };
    Precompute { modes: Some(8), rank: Some(44), usual, ..Precompute::default() }
}

/// A mesh that can be computed with, what holds it, and what a user should know.
pub(super) struct Prepared {
    pub(super) mesh: MeshData,
    pub(super) recipe: Recipe,
    pub(super) notes: Vec<String>,
}

/// Tells what is wrong with a mesh, and makes a body of it.
pub(super) fn prepare(name: &str, mesh: MeshData, report: &mut Report) -> Result<Prepared, ReduceError> {
    let mut notes = Vec::new();
    let found = doctor::examine(&mesh, &doctor::Options::default(), &mut |p| report.tell_as("examining", p))?;
    show(name, &mesh, &found, report)?;
    let length = shape::length(&mesh);
    if !(1e-3..=20.0).contains(&length) {
        notes.push(format!("it is {length:.3e} m long: perhaps its file means another unit than the metre"));
    }
    let mesh = match mesh.elements {
        Elements::Tets(_) => {
            let (solid, turned) = TetMesh::reoriented(mesh)?;
            if turned > 0 {
                notes.push(format!("{turned} inverted tets were turned around"));
            }
            solid.into_data()
        }
        Elements::Faces(_) => of_surface(mesh, &mut notes, report)?,
    };
    let fixed = hold(&mesh, &mut notes)?;
    Ok(Prepared { mesh, recipe: Recipe { fixed, ..Recipe::default() }, notes })
}

/// Reduces it; with `own_rank` to fewer coordinates where it has no more.
pub(super) fn reduce(
    prepared: Prepared,
    precompute: &Precompute,
    own_rank: bool,
    report: &mut Report,
) -> Result<(Model, Vec<String>), ReduceError> {
    let Prepared { mesh, recipe, mut notes } = prepared;
    Progress::stage("making the body").tell(&mut |p| report.tell(p))?;
    let body = recipe.build(mesh.clone())?;
    let there = body.dofs().free().len() - body.rigid_count();
    let precompute = Precompute { modes: precompute.modes.map(|k| k.min(there)), ..precompute.clone() };
    let mut precompute = precompute;
    let trained = precompute.forces.as_deref().is_none_or(|name| name == "cubature");
    if mesh.kind() != Kind::Tets && trained && precompute.points.is_none() {
        precompute.points = Some(POINTS_OF_A_SHEET.min(body.energy().count()));
    }
    let mut make = |precompute: &Precompute| {
        precompute.reduce(mesh.clone(), recipe.clone(), &body, &mut |p| report.tell(p))
    };
    let made = match make(&precompute) {
        // Of a stiff or a small body some derivatives are nothing but rounding.
        Err(ReduceError::Rank { available, .. }) if own_rank => {
            make(&Precompute { rank: Some(available), ..precompute.clone() })?
        }
        other => other?,
    };
    notes.extend(made.warnings.into_iter().map(|note| note.sentence));
    Ok((made.model, notes))
}

/// Matter that swings at a pace that can be seen, where the file says nothing of matter: ω² is proportional to the
/// stiffness, so that nothing has to be built again.
pub(super) fn suit(model: Model, notes: &mut Vec<String>) -> Result<Model, ReduceError> {
    let lowest = model.frequencies_hz().into_iter().find(|f| *f > 0.0);
    let Some(lowest) =
        lowest.filter(|f| model.mesh().attributes.materials.is_empty() && !PLEASANT.contains(f))
    else {
        return Ok(model);
    };
    let factor = (SWINGS / lowest).powi(2);
    // Two digits are enough for a number that nobody asked for.
    let digit = 10f64.powi(factor.log10().floor() as i32 - 1);
    let suited = model.rescaled((factor / digit).round() * digit, 1.0)?;
    notes.push(format!("its stiffness was chosen so that it swings about {SWINGS} times a second"));
    Ok(suited)
}

/// The findings for all, with the surface that they are about.
fn show(name: &str, mesh: &MeshData, found: &doctor::Report, report: &mut Report) -> Result<(), ReduceError> {
    let severity = |s| match s {
        doctor::Severity::Note => "note",
        doctor::Severity::Warning => "warning",
        doctor::Severity::Error => "error",
    };
    let findings = found.findings.iter().map(|f| Finding {
        what: f.what.name(),
        severity: severity(f.severity),
        sentence: f.sentence.clone(),
        places: f.positions.iter().take(PLACES).map(|p| [p.x as f32, p.y as f32, p.z as f32]).collect(),
    });
    let event = Event::Findings { job: report.job(), name: name.to_owned(), findings: findings.collect() };
    let preview = shape::preview(&Skin::of(mesh)).map_err(|e| ReduceError::Request(e.into()))?;
    report.hub().show_findings(report.job(), preview, event);
    Ok(())
}

/// A solid of what encloses a volume, with the surface tied to it; a sheet stays what it is.
fn of_surface(mesh: MeshData, notes: &mut Vec<String>, report: &mut Report) -> Result<MeshData, ReduceError> {
    let (surface, dropped) = SurfaceMesh::without_bad_faces(mesh)?;
    if dropped > 0 {
        notes.push(format!("{dropped} faces that name fewer than three different corners were left out"));
    }
    let (welded, joined) = weld(surface.into_data());
    if joined > 0 {
        notes.push(format!("{joined} vertices that lay exactly on others were joined with them"));
    }
    let (surface, _) = SurfaceMesh::without_bad_faces(welded)?;
    let data = surface.clone().into_data();
    let quick = doctor::Options { crossings: false, ..doctor::Options::default() };
    let found = doctor::examine(&data, &quick, &mut |p| report.tell_as("examining", p))?;
    let rims: f64 = found.rims.iter().map(|rim| rim.length).sum();
    let sheet = !found.closed && rims > HOLES * found.area.unwrap_or(0.0).sqrt();
    if sheet && found.manifold && found.degenerate == 0 {
        notes.push("it is open, so it stays a surface that bends and stretches".into());
        return Ok(data);
    }
    let options = |cage| tetrahedralise::Options { size: Size::Elements(TETS), cage, ..Default::default() };
    let made = match tetrahedralise::tetrahedralise(&surface, &options(sheet), &mut |p| report.tell(p)) {
        Ok(made) if !sheet && made.volume_error.is_some_and(|e| e > 0.2) => None,
        Err(MeshError::NothingInside) if !sheet => None,
        other => Some(other?),
    };
    let made = match made {
        Some(made) => made,
        None => {
            notes.push(
                "parts of it are thinner than the tets, so tets enclose it instead of filling it".into(),
            );
            tetrahedralise::tetrahedralise(&surface, &options(true), &mut |p| report.tell(p))?
        }
    };
    if sheet {
        notes.push("it is open and not a sheet that could bend, so tets enclose it".into());
    }
    notes.extend(made.notes);
    Progress::stage("tying the surface").tell(&mut |p| report.tell(p))?;
    Ok(embed::attach(made.mesh, &surface)?.0.into_data())
}

/// Vertices at exactly the same place become one, as texture seams of many formats need it.
fn weld(mesh: MeshData) -> (MeshData, usize) {
    let Elements::Faces(faces) = &mesh.elements else { return (mesh, 0) };
    let key =
        |v: u32| mesh.vertices[v as usize].as_slice().iter().map(|x| (x + 0.0).to_bits()).collect::<Vec<_>>();
    let keys: Vec<Vec<u64>> = (0..mesh.vertices.len() as u32).map(key).collect();
    let mut order: Vec<u32> = (0..keys.len() as u32).collect();
    order.sort_by(|a, b| keys[*a as usize].cmp(&keys[*b as usize]).then(a.cmp(b)));
    let mut first: Vec<u32> = (0..keys.len() as u32).collect();
    let mut joined = 0;
    for pair in order.windows(2) {
        if keys[pair[0] as usize] == keys[pair[1] as usize] {
            first[pair[1] as usize] = first[pair[0] as usize];
            joined += 1;
        }
    }
    if joined == 0 {
        return (mesh, 0);
    }
    let mut number = vec![0_u32; keys.len()];
    let mut vertices = Vec::with_capacity(keys.len() - joined);
    for v in 0..keys.len() {
        if first[v] as usize == v {
            number[v] = vertices.len() as u32;
            vertices.push(mesh.vertices[v]);
        } else {
            number[v] = number[first[v] as usize];
        }
    }
    let faces = faces.iter().map(|f| f.iter().map(|&v| number[v as usize]).collect::<Vec<u32>>());
    let faces: Vec<Vec<u32>> = faces.collect();
    let welded = MeshData {
        elements: Elements::Faces(faces.iter().map(Vec::as_slice).collect()),
        vertices,
        attributes: pliant::mesh::Attributes { sets: Vec::new(), ..mesh.attributes },
    };
    (welded, joined)
}

/// What the file fixes, else the lowest 5 %.
fn hold(mesh: &MeshData, notes: &mut Vec<String>) -> Result<Vec<select::Selection>, ReduceError> {
    let (fixed, sentence) = usual_hold(mesh)?;
    notes.push(sentence);
    Ok(fixed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hub::Hub;
    use pliant::linalg::{Vec3, ignore_progress};
    use pliant::mesh::{Faces, shapes};

    fn prepared(mesh: MeshData) -> Prepared {
        let mut report = Report::new(Hub::new(None).0, 1, "a test".into(), None);
        prepare("a test", mesh, &mut report).expect("a body")
    }

    fn cube() -> SurfaceMesh {
        shapes::bar(Vec3::new(0.2, 0.3, 0.2), [4, 6, 4]).boundary()
    }

    fn says(prepared: &Prepared, words: &str) -> bool {
        prepared.notes.iter().any(|note| note.contains(words))
    }

    #[test]
    fn what_encloses_a_volume_is_filled_even_if_every_triangle_stands_alone() {
        let surface = cube();
        let corners = surface.triangles().as_flattened().to_vec();
        let alone: Vec<Vec3> = corners.iter().map(|v| surface.vertices()[*v as usize]).collect();
        let count = alone.len() as u32;
        let triangles: Vec<[u32; 3]> = (0..count).step_by(3).map(|k| [k, k + 1, k + 2]).collect();
        let soup = MeshData::from_faces(alone, Faces::from_triangles(&triangles));
        let made = prepared(soup);
        assert_eq!(made.mesh.kind(), Kind::Tets);
        let shown = made.mesh.attributes.embedded.as_ref().expect("the surface is tied to it");
        assert_eq!((shown.vertices.len(), shown.faces.len()), (surface.vertices().len(), triangles.len()));
        assert!(says(&made, "were joined") && says(&made, "lowest 5 %"), "{:?}", made.notes);
        assert!(made.recipe.fixed[0].vertices.iter().all(|v| made.mesh.vertices[*v as usize].y < 0.02));
    }

    #[test]
    fn a_lid_that_is_missing_makes_a_sheet_and_a_hole_does_not() {
        let surface = cube();
        let without = |drop: &dyn Fn(Vec3) -> bool| {
            let middle = |t: &[u32; 3]| t.iter().map(|v| surface.vertices()[*v as usize]).sum::<Vec3>() / 3.0;
            let kept: Vec<[u32; 3]> = surface.triangles().into_iter().filter(|t| !drop(middle(t))).collect();
            prepared(MeshData::from_faces(surface.vertices().to_vec(), Faces::from_triangles(&kept)))
        };
        let open = without(&|p| p.y > 0.299);
        assert!(open.mesh.kind() == Kind::Triangles && says(&open, "stays a surface"), "{:?}", open.notes);
        let first = surface.triangles()[0];
        let first = first.iter().map(|v| surface.vertices()[*v as usize]).sum::<Vec3>() / 3.0;
        let hole = without(&|p| (p - first).norm() < 1e-9);
        // Its rim is 0.17 m long, the root of the area 0.57 m.
        assert_eq!(hole.mesh.kind(), Kind::Tets, "{:?}", hole.notes);
    }

    #[test]
    fn notes_of_a_reduction_name_no_option_of_the_command_line() {
        let bar = shapes::bar(Vec3::new(1.0, 0.2, 0.2), [8, 2, 2]).into_data();
        let mut report = Report::new(Hub::new(None).0, 1, "a test".into(), None);
        let rough = Precompute { modes: Some(8), rank: Some(9), poses: Some(5), ..Precompute::default() };
        let recipe = Recipe { fixed: hold(&bar, &mut Vec::new()).expect("a hold"), ..Recipe::default() };
        let prepared = Prepared { mesh: bar, recipe, notes: Vec::new() };
        let (_, notes) = reduce(prepared, &rough, false, &mut report).expect("a model");
        assert!(notes.iter().all(|note| !note.contains("--")), "{notes:?}");
        assert!(notes.iter().any(|note| note.contains("take a larger rank")), "{notes:?}");
    }

    #[test]
    fn what_lies_flat_is_held_at_an_end_and_swings_at_a_pleasant_pace() {
        let options = shapes::ShapeOptions { subdivision: Some(24), ..Default::default() };
        let mut cloth =
            shapes::find("cloth").expect("a shape").make(&options, &mut ignore_progress).expect("a sheet");
        assert!(says(&prepared(cloth.clone()), "corners"));
        cloth.attributes.sets.clear();
        let made = prepared(cloth);
        assert!(
            says(&made, "lies flat") && made.recipe.fixed[0].vertices.len() == 2 * 25,
            "{:?}",
            made.notes
        );
        let mut report = Report::new(Hub::new(None).0, 1, "a test".into(), None);
        let few = Precompute { modes: Some(3), poses: Some(5), ..precompute() };
        let (model, mut notes) = reduce(made, &few, true, &mut report).expect("a model");
        let suited = suit(model, &mut notes).expect("a model").frequencies_hz()[0];
        assert!((suited / SWINGS - 1.0).abs() < 0.05, "{suited} Hz");
    }
}
