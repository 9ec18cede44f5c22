//! A solid of what encloses a volume, with the surface tied to it.

use pliant_linalg::{Note, Progress, Term, Watch};
use pliant_mesh::measure::{area_vector, triangulate};
use pliant_mesh::tetrahedralise::{Options, Size, Solidified, tetrahedralise};
use pliant_mesh::weld::weld;
use pliant_mesh::{Elements, MeshData, MeshError, SurfaceMesh, doctor, embed};

use super::{Form, Open, examine};
use crate::OpenError;

/// An open surface whose rims, all together, are shorter than this part of the root of its area encloses a volume but for
/// some holes. Of a square sheet the figure is 4, of half a sphere 2.5.
const HOLES: f64 = 0.6;

/// What helps where parts are thin: more tets.
const CELLS: Term = Term::new("cells", "thinner than the tets");

/// A solid whose volume differs from that of its surface by more than this part has lost something thin.
const MOST_LOST: f64 = 0.2;

/// The surface without faces that are none, vertices at one place joined.
pub(super) fn sheet(mesh: MeshData, notes: &mut Vec<Note>) -> Result<SurfaceMesh, OpenError> {
    let (surface, dropped) = SurfaceMesh::without_bad_faces(mesh)?;
    if dropped > 0 {
        let left_out = "faces that name fewer than three different corners were left out";
        notes.push(format!("{dropped} {left_out}").into());
    }
    let (welded, joined) = weld(surface.into_data());
    if joined > 0 {
        notes.push(format!("{joined} vertices that lay exactly on others were joined with them").into());
    }
    Ok(SurfaceMesh::without_bad_faces(welded)?.0)
}

/// What a mesh can become: a solid of tets is one or its skin, a surface that encloses nothing cannot be filled.
pub fn forms(mesh: &MeshData) -> Vec<Form> {
    let Elements::Faces(faces) = &mesh.elements else { return vec![Form::Solid, Form::Shell] };
    let triangles = triangulate(&mesh.vertices, faces);
    let at = |v: u32| mesh.vertices[v as usize];
    let area: f64 = triangles.iter().map(|t| area_vector(&t.map(at)).norm()).sum();
    let sides = triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]);
    let mut sides: Vec<[u32; 2]> = sides.map(|[a, b]| [a.min(b), a.max(b)]).collect();
    sides.sort_unstable();
    let rims = sides.chunk_by(|a, b| a == b).filter(|same| same.len() == 1);
    let rims: f64 = rims.map(|same| (at(same[0][0]) - at(same[0][1])).norm()).sum();
    let open = rims > HOLES * area.sqrt();
    if open { vec![Form::Shell, Form::Cage] } else { vec![Form::Solid, Form::Shell, Form::Cage] }
}

/// What became of a surface.
pub(super) struct Filled {
    pub(super) mesh: MeshData,
    /// What it is now: tets enclose it also where they could not fill it.
    pub(super) form: Form,
    /// Whether its pieces or handles are not those of the surface; a note says where.
    pub(super) differs: bool,
}

/// A solid of what encloses a volume; a sheet stays what it is, unless a solid is asked for.
pub(super) fn filled(
    open: &Open,
    mesh: MeshData,
    notes: &mut Vec<Note>,
    watch: &mut Watch<'_>,
) -> Result<Filled, OpenError> {
    let surface = sheet(mesh, notes)?;
    let data = surface.clone().into_data();
    let quick = doctor::Options { crossings: false, ..doctor::Options::default() };
    let found = examine(&data, &quick, watch)?;
    let rims: f64 = found.rims.iter().map(|rim| rim.length).sum();
    let flat = !found.closed && rims > HOLES * found.area.unwrap_or(0.0).sqrt();
    let bends = found.manifold && found.degenerate == 0;
    let wants_tets = matches!(open.form, Form::Solid | Form::Cage);
    if flat && bends && !wants_tets {
        notes.push("it is open, so it stays a surface that bends and stretches".into());
        return Ok(Filled { mesh: data, form: Form::Shell, differs: false });
    }
    let options = |cage| Options { size: Size::Elements(open.tets), cage, ..Default::default() };
    // What was thickened has more volume than the surface, not less; what fell apart all the same is enclosed.
    let lost = |made: &Solidified| {
        let whole = &made.whole;
        let less = made.volume_error.is_some_and(|e| e > MOST_LOST) && whole.thickened.is_none();
        less || whole.pieces > whole.pieces_wanted || whole.lost > 0
    };
    let caged = flat || open.form == Form::Cage;
    let mut near = String::new();
    let made = match tetrahedralise(&surface, &options(caged), watch) {
        Ok(made) if !caged && lost(&made) => {
            near = made.whole.near();
            None
        }
        Err(MeshError::NothingInside) if !caged => None,
        other => Some(other?),
    };
    let (made, form) = match made {
        Some(made) => (made, if caged { Form::Cage } else { Form::Solid }),
        None => {
            let thin = format!(
                "parts of it{near} are thinner than the tets, so tets enclose it instead of filling it"
            );
            notes.push(Note::new(thin, &[CELLS]));
            (tetrahedralise(&surface, &options(true), watch)?, Form::Cage)
        }
    };
    match (flat, bends) {
        (false, _) => {}
        (true, true) => notes.push("it is open, so tets enclose it".into()),
        (true, false) => notes.push("it is open and not a sheet that could bend, so tets enclose it".into()),
    }
    let differs = !made.whole.is_whole();
    notes.extend(made.notes.into_iter().map(Note::from));
    Progress::stage("tying the surface").tell(watch)?;
    Ok(Filled { mesh: embed::attach(made.mesh, &surface)?.0.into_data(), form, differs })
}
