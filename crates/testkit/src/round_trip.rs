//! What is written is read again: the check that property tests and fuzzing share.

use std::path::Path;

use pliant_mesh::MeshData;
use pliant_mesh::io::{self, Format, Keeps, Source};

/// Writes `mesh` to memory as a file with this ending and variant, reads it back as if its parts lay in one folder,
/// and compares all that the format promises to keep. A mesh that does not fit 32 bits is passed over where the
/// variant holds only those.
///
/// # Errors
/// A sentence with what came back different.
pub fn check(format: &Format, mesh: &MeshData, ending: &str, variant: &str) -> Result<(), String> {
    let context = format!("{} .{ending} {variant}", format.name);
    let keeps = format.keeps_in(variant);
    if !keeps.digits && !fits_32_bits(mesh) {
        return Ok(());
    }
    let read = there_and_back(format, mesh, ending, variant).map_err(|e| format!("{context}: {e}"))?;
    let kept = kept(keeps, mesh);
    let same = |what: &str, same: bool| {
        if same { Ok(()) } else { Err(format!("{context}: {what} differ: {read:?} instead of {kept:?}")) }
    };
    if keeps.ids {
        same("positions", bits(&read) == bits(&kept))?;
        same("elements", read.elements == kept.elements)?;
        same("attributes", read.attributes == kept.attributes)
    } else {
        same("corners", corner_bits(&read) == corner_bits(&kept))?;
        same("regions", read.attributes.regions == kept.attributes.regions)?;
        same("regions of elements", read.attributes.region_of == kept.attributes.region_of)
    }
}

/// Whether every coordinate is finite when rounded to 32 bits.
pub fn fits_32_bits(mesh: &MeshData) -> bool {
    mesh.vertices.iter().all(|p| p.iter().all(|x| (*x as f32).is_finite()))
}

fn there_and_back(
    format: &Format,
    mesh: &MeshData,
    ending: &str,
    variant: &str,
) -> pliant_mesh::Result<MeshData> {
    let path = Path::new("folder").join("mesh").with_extension(ending);
    let parts = io::encode(format, mesh, &path, Some(variant))?;
    let open = |wanted: &Path| {
        parts
            .iter()
            .find(|p| path.with_extension(&p.extension) == wanted)
            .map(|p| p.bytes.clone())
            .ok_or_else(|| std::io::ErrorKind::NotFound.into())
    };
    let source = Source::memory(&path, open(&path).expect("the main part has the chosen ending"), &open);
    Ok(io::read(format, &source)?.mesh)
}

/// What is left of a mesh in a format.
fn kept(keeps: Keeps, mesh: &MeshData) -> MeshData {
    let mut mesh = mesh.clone();
    let a = &mut mesh.attributes;
    if !keeps.regions {
        a.regions.clear();
        a.region_of.clear();
    }
    if !keeps.materials {
        a.materials.clear();
        a.regions.iter_mut().for_each(|r| r.material = None);
    }
    if !keeps.sets {
        a.sets.clear();
    }
    if !keeps.digits {
        mesh.vertices.iter_mut().for_each(|p| *p = p.map(|x| f64::from(x as f32)));
    }
    mesh
}

/// Bits, not values: −0 is not 0.
fn bits(mesh: &MeshData) -> Vec<[u64; 3]> {
    mesh.vertices.iter().map(|p| [p.x.to_bits(), p.y.to_bits(), p.z.to_bits()]).collect()
}

/// For formats that number vertices anew: the positions of all corners in order.
fn corner_bits(mesh: &MeshData) -> Vec<[u64; 3]> {
    // Equal vertices are merged, and 0 equals −0.
    let bits = |x: f64| (x + 0.0).to_bits();
    let at = |v: &u32| mesh.vertices[*v as usize];
    mesh.elements.corners().iter().map(|v| [bits(at(v).x), bits(at(v).y), bits(at(v).z)]).collect()
}
