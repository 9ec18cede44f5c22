//! Files: one file of this folder for each format, one line in [`ALL`].
//!
//! Readers keep every vertex, its order and its `f64` digits. A reader works on bytes in memory and reaches other
//! files only through its [`Source`], so it can be fuzzed; a writer returns bytes, so a file appears whole or not at
//! all ([`save`]). What a format cannot keep is in its [`Keeps`], and [`save`] says so.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use pliant_linalg::{grouped, in_bounds, quote, shown};

use crate::{Elements, Kind, MeshData, MeshError, Place, Result};

pub(crate) mod annotations;
pub mod arrays;
mod cells;
mod cubes;
pub mod gltf;
pub mod interp;
mod laws;
mod medit;
pub mod motion;
mod msh;
mod numbers;
mod obj;
mod off;
pub mod painted;
mod pending;
mod ply;
pub mod sets;
mod source;
mod stl;
mod store;
mod tetgen;
pub(crate) mod text;
mod veg;
mod vtk;

pub use pending::{Out, Pending, in_memory, stop_writing, write_whole};
pub use source::Source;

/// Every format. A new one is a file in this folder and a line here.
#[rustfmt::skip] // one line each
pub static ALL: &[&Format] = &[
    &veg::FORMAT,
    &medit::FORMAT,
    &msh::FORMAT,
    &tetgen::FORMAT,
    &vtk::LEGACY,
    &vtk::VTU,
    &obj::FORMAT,
    &ply::FORMAT,
    &stl::FORMAT,
    &off::FORMAT,
    &gltf::FORMAT,
];

/// One file format.
pub struct Format {
    /// Short name: `medit`.
    pub name: &'static str,
    /// For people: `MEDIT`.
    pub title: &'static str,
    /// Endings, without the dot, lower case; the first is the usual one.
    pub extensions: &'static [&'static str],
    /// What elements it can hold.
    pub holds: &'static [Kind],
    /// What it keeps of the rest, in every variant that is not in `less`.
    pub keeps: Keeps,
    /// Variants that keep less, and what they keep.
    pub less: &'static [(&'static str, Keeps)],
    /// Ways to write it, such as `text` and `binary`; the first is the default.
    pub variants: &'static [&'static str],
    /// Bytes to mesh; must not panic on any input, nor take memory beyond a small multiple of its size.
    pub read: fn(&Source<'_>) -> Result<Loaded>,
    /// Mesh to bytes; the mesh has passed [`MeshData::check`] and its kind is in `holds`.
    pub write: fn(&MeshData, &Target<'_>) -> Result<Vec<Part>>,
}

impl Format {
    /// What it keeps when written as `variant`.
    pub fn keeps_in(&self, variant: &str) -> Keeps {
        self.less.iter().find(|(less, _)| *less == variant).map_or(self.keeps, |(_, keeps)| *keeps)
    }

    /// The variant that the user named, else the first.
    fn variant(&self, wanted: Option<&str>) -> Result<&'static str> {
        let Some(wanted) = wanted else { return Ok(self.variants[0]) };
        self.variants.iter().copied().find(|v| *v == wanted).ok_or_else(|| MeshError::Format {
            format: self.title,
            problem: format!("there is no variant {}", quote(wanted)),
            next: format!("choose one of {}", self.variants.join(", ")),
        })
    }
}

/// What a format keeps beside positions and elements.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Keeps {
    /// Regions and their names.
    pub regions: bool,
    /// The materials of regions.
    pub materials: bool,
    /// Vertex sets.
    pub sets: bool,
    /// All digits of an `f64`; else coordinates are rounded to 32 bits.
    pub digits: bool,
    /// Which vertex is which: their order, and those that no element uses.
    pub ids: bool,
}

/// How many tets a hexahedron becomes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CubeSplit {
    /// Five: needs cubes that alternate like a chess board.
    Five,
    /// Six: works for any hexahedra.
    #[default]
    Six,
}

/// What a reader returns.
#[derive(Debug)]
pub struct Loaded {
    /// The mesh, as the file states it.
    pub mesh: MeshData,
    /// What the reader skipped or changed, in sentences.
    pub notes: Vec<String>,
}

impl From<MeshData> for Loaded {
    fn from(mesh: MeshData) -> Self {
        Self { mesh, notes: Vec::new() }
    }
}

/// What a writer is told about its file.
pub struct Target<'a> {
    /// The variant to write; one of the format's.
    pub variant: &'a str,
    /// Name of the file without its ending, for formats whose files name each other.
    pub stem: &'a str,
    /// The ending that the user chose.
    pub extension: &'a str,
}

/// One file that a writer makes.
pub struct Part {
    /// Its ending, without the dot.
    pub extension: String,
    /// Its contents.
    pub bytes: Vec<u8>,
}

/// The format of a file, by the ending of its name.
///
/// # Errors
/// When no format in [`ALL`] has that ending.
pub fn format_of(path: &Path) -> Result<&'static Format> {
    let ending = path.extension().and_then(|e| e.to_str()).unwrap_or("").to_lowercase();
    ALL.iter().find(|f| f.extensions.contains(&&*ending)).copied().ok_or_else(|| {
        let mut known = String::new();
        for extension in ALL.iter().flat_map(|f| f.extensions) {
            let _ = write!(known, "{}.{extension}", if known.is_empty() { "" } else { " " });
        }
        MeshError::UnknownFormat { path: path.to_owned(), ending, known }
    })
}

/// Reads a mesh, and the surface embedded in it where `NAME.surface.obj` and `NAME.surface.interp` lie beside it.
///
/// # Errors
/// When the file cannot be read, is not what its format demands, or contradicts itself.
pub fn load(path: &Path) -> Result<Loaded> {
    load_with(path, CubeSplit::default())
}

/// As [`load`], with a choice of how hexahedra become tets.
///
/// # Errors
/// As [`load`].
pub fn load_with(path: &Path, cubes: CubeSplit) -> Result<Loaded> {
    let format = format_of(path)?;
    let mut source = Source::open(path)?;
    source.cubes = cubes;
    let mut loaded = read(format, &source)?;
    store::find_embedded(path, &mut loaded);
    Ok(loaded)
}

/// Reads a mesh from a source, and checks that it is consistent with itself.
///
/// # Errors
/// As [`load`].
pub fn read(format: &Format, source: &Source<'_>) -> Result<Loaded> {
    let mut loaded = (format.read)(source)?;
    few_and_short(&mut loaded.notes);
    // The check speaks of the mesh; the user also needs the file.
    loaded.mesh.check().map_err(|e| match e {
        MeshError::Parse { .. } | MeshError::Io { .. } => e,
        other => MeshError::Parse {
            file: shown(&source.path),
            place: Place::Whole,
            found: other.to_string(),
            // The check has said it.
            expected: String::new(),
        },
    })?;
    Ok(loaded)
}

/// Notes of one file.
const MOST_NOTES: usize = 20;

/// A file may have a hundred thousand sections that nobody knows: the first are named, the others counted.
fn few_and_short(notes: &mut Vec<String>) {
    let more = notes.len().saturating_sub(MOST_NOTES);
    notes.truncate(MOST_NOTES);
    notes.iter_mut().for_each(|note| *note = in_bounds(note));
    if more > 0 {
        notes.push(format!("and {} more of this kind", grouped(more)));
    }
}

/// Writes a mesh in the format of its name, whole or not at all, and returns what that format could not keep.
///
/// A solid whose format holds only surfaces is written as its boundary. `variant` is one of the format's variants;
/// `None` takes the first.
///
/// # Errors
/// When the format cannot hold the mesh, the variant is unknown, or the disk refuses.
pub fn save(path: &Path, mesh: &MeshData, variant: Option<&str>) -> Result<Vec<String>> {
    let format = format_of(path)?;
    let mut notes = Vec::new();
    let boundary;
    let mut mesh = mesh;
    if !format.holds.contains(&mesh.kind()) {
        boundary = store::fit(format, mesh, &mut notes)?;
        if mesh.kind() == Kind::Tets {
            notes.extend(left_behind(mesh));
        }
        mesh = &boundary;
    }
    mesh.check()?;
    let parts = encode(format, mesh, path, variant)?;
    notes.extend(lost(format, mesh, format.variant(variant)?));
    let mut files: Vec<(PathBuf, Vec<u8>)> =
        parts.into_iter().map(|p| (path.with_extension(p.extension), p.bytes)).collect();
    files.extend(store::embedded_files(path, mesh)?);
    write_whole(&files)?;
    Ok(notes)
}

/// The bytes of a mesh in a format, for each file that it makes.
///
/// # Errors
/// When the variant is unknown or the format cannot hold the mesh.
pub fn encode(format: &Format, mesh: &MeshData, path: &Path, variant: Option<&str>) -> Result<Vec<Part>> {
    let variant = format.variant(variant)?;
    let text = |s: Option<&std::ffi::OsStr>| s.and_then(|s| s.to_str()).unwrap_or("mesh").to_owned();
    let (stem, extension) = (text(path.file_stem()), text(path.extension()).to_lowercase());
    (format.write)(mesh, &Target { variant, stem: &stem, extension: &extension })
}

/// What the surface of a solid does not have of it, in a sentence. An embedded surface has its own regions.
fn left_behind(solid: &MeshData) -> Option<String> {
    let a = &solid.attributes;
    let lost = [
        (a.regions.is_empty(), "regions"),
        (a.materials.is_empty(), "materials"),
        (a.sets.is_empty(), "vertex sets"),
    ];
    let lost: Vec<&str> = lost.into_iter().filter(|(none, _)| !none).map(|(_, what)| what).collect();
    (!lost.is_empty()).then(|| format!("the surface does not have the solid's {}: left out", lost.join(", ")))
}

/// Whether a reader that numbers vertices as it meets them in the elements would number them otherwise.
fn renumbered(mesh: &MeshData) -> bool {
    let mut met = 0;
    for &v in mesh.elements.corners() {
        if v > met {
            return true;
        }
        met += u32::from(v == met);
    }
    met as usize != mesh.vertices.len()
}

/// What `format` cannot keep of `mesh`, in sentences.
fn lost(format: &Format, mesh: &MeshData, variant: &str) -> Vec<String> {
    let (a, keeps) = (&mesh.attributes, format.keeps_in(variant));
    let rounded = || mesh.vertices.iter().any(|p| p.iter().any(|x| f64::from(*x as f32) != *x));
    [
        (!keeps.regions && !a.regions.is_empty(), "regions"),
        (!keeps.materials && !a.materials.is_empty(), "materials"),
        (!keeps.sets && !a.sets.is_empty(), "vertex sets"),
        (!keeps.digits && rounded(), "all digits of the coordinates (it holds 32-bit numbers)"),
        (!keeps.ids && renumbered(mesh), "vertex numbers"),
    ]
    .into_iter()
    .filter(|(lost, _)| *lost)
    .map(|(_, what)| format!("{} cannot hold {what}: left out", format.title))
    .collect()
}

/// A number for a format that holds 32 bits, refused when it is too large for them.
pub(crate) fn to_f32(format: &'static str, x: f64) -> Result<f32> {
    let rounded = x as f32;
    if rounded.is_finite() {
        return Ok(rounded);
    }
    Err(MeshError::TooLargeForFormat { format, coordinate: x })
}

/// Tets if there are any, else faces; a note when both are there.
pub(crate) fn choose(tets: Vec<[u32; 4]>, faces: crate::Faces, notes: &mut Vec<String>) -> Elements {
    if tets.is_empty() {
        return Elements::Faces(faces);
    }
    if !faces.is_empty() {
        notes.push(format!(
            "the file also lists {} faces; the solid has its own boundary, so they were skipped",
            faces.len()
        ));
    }
    Elements::Tets(tets)
}
