//! What a reader reads: bytes, and a way to the files that they name.
//!
//! A file names others (`*INCLUDE`, `uri`) and was written by anybody: what it names is read only where it is a regular file in the
//! same folder or below it, and nothing of what that holds is repeated in an error.

use std::path::{Component, Path, PathBuf};

use pliant_linalg::{grouped, one_line, shown};

use super::CubeSplit;
use crate::{MeshError, Place, Result};

/// What a reader reads: bytes, and a way to the files that they name.
pub struct Source<'a> {
    /// The file, as errors name it.
    pub path: PathBuf,
    /// Its contents.
    pub bytes: Vec<u8>,
    /// How hexahedra become tets.
    pub cubes: CubeSplit,
    others: Others<'a>,
    /// Whether another file named this one: then nothing of what it holds is repeated in errors. It may be anything that lies
    /// there, and who reads the error need not be who may read the file.
    named: bool,
}

/// Where the files are that a file names.
#[derive(Clone)]
enum Others<'a> {
    /// In this folder on the disk.
    Folder(PathBuf),
    /// Wherever the caller has them.
    Caller(&'a dyn Fn(&Path) -> std::io::Result<Vec<u8>>),
}

/// Of a file that another one names, bytes.
const LARGEST: u64 = 1 << 30;

fn refused(why: &str) -> std::io::Error {
    std::io::Error::new(std::io::ErrorKind::PermissionDenied, why)
}

/// Whether what lies at `path` lies in this folder or below it, also where links lead.
fn is_beside(folder: &Path, path: &Path) -> std::io::Result<bool> {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    Ok(path.canonicalize()?.starts_with(folder.canonicalize()?))
}

/// The contents of a regular file of at most so many bytes.
fn read_regular(path: &Path, largest: u64) -> std::io::Result<Vec<u8>> {
    let about = path.metadata()?;
    if !about.is_file() {
        return Err(refused("it is no regular file"));
    }
    if about.len() > largest {
        return Err(refused(&format!(
            "it has {} bytes, and a file that belongs to another may have {}",
            grouped(about.len() as usize),
            grouped(largest as usize)
        )));
    }
    std::fs::read(path)
}

/// The contents of a file that another one names: a regular one in the folder of that or below it, also where links lead.
fn read_beside(folder: &Path, path: &Path) -> std::io::Result<Vec<u8>> {
    if !is_beside(folder, path)? {
        return Err(refused("it leads out of the folder of the file that names it; put it there"));
    }
    read_regular(path, LARGEST)
}

impl<'a> Source<'a> {
    /// A file on disk; files that it names are found beside it.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn open(path: &Path) -> Result<Source<'static>> {
        let bytes = std::fs::read(path).map_err(|source| MeshError::Io {
            path: path.to_owned(),
            action: "read",
            source,
        })?;
        Ok(Source {
            path: path.to_owned(),
            bytes,
            cubes: CubeSplit::default(),
            others: Others::Folder(path.parent().unwrap_or(Path::new("")).to_owned()),
            named: false,
        })
    }

    /// Bytes in memory, with `open` for the files that they name.
    pub fn memory(
        path: impl Into<PathBuf>,
        bytes: Vec<u8>,
        open: &'a dyn Fn(&Path) -> std::io::Result<Vec<u8>>,
    ) -> Self {
        Self {
            path: path.into(),
            bytes,
            cubes: CubeSplit::default(),
            others: Others::Caller(open),
            named: false,
        }
    }

    /// The contents of a file that this one names, relative to its folder.
    ///
    /// # Errors
    /// When it cannot be read, or the name leads out of that folder.
    pub fn sibling(&self, name: &str) -> Result<Source<'a>> {
        let inside = |part| matches!(part, Component::Normal(_) | Component::CurDir);
        let path = self.path.parent().unwrap_or(Path::new("")).join(name);
        if name.is_empty() || !Path::new(name).components().all(inside) {
            let why = "a file may only name files in its own folder or below it; put it there and name it so";
            let source = std::io::Error::new(std::io::ErrorKind::PermissionDenied, why);
            return Err(MeshError::Io { path, action: "read", source });
        }
        let bytes = match &self.others {
            Others::Folder(folder) => read_beside(folder, &path),
            Others::Caller(open) => open(&path),
        };
        Ok(Source { named: true, ..self.at(path, bytes)? })
    }

    /// The contents of the file of the same name with another ending: `bar.node` beside `bar.ele`. It may be a link; of what lies
    /// elsewhere nothing is repeated in errors.
    ///
    /// # Errors
    /// When it cannot be read, or is no regular file.
    pub fn with_extension(&self, extension: &str) -> Result<Source<'a>> {
        let path = self.path.with_extension(extension);
        let (bytes, here) = match &self.others {
            Others::Folder(folder) => {
                (read_regular(&path, LARGEST), is_beside(folder, &path).unwrap_or(false))
            }
            Others::Caller(open) => (open(&path), true),
        };
        let found = self.at(path, bytes)?;
        Ok(Source { named: found.named || !here, ..found })
    }

    fn at(&self, path: PathBuf, bytes: std::io::Result<Vec<u8>>) -> Result<Source<'a>> {
        match bytes {
            Ok(bytes) => {
                Ok(Source { path, bytes, cubes: self.cubes, others: self.others.clone(), named: self.named })
            }
            Err(source) => Err(MeshError::Io { path, action: "read", source }),
        }
    }

    /// An error in this file.
    pub fn error(&self, place: Place, found: impl Into<String>, expected: impl Into<String>) -> MeshError {
        let found = if self.named { "something else".into() } else { found.into() };
        self.error_in_our_words(place, found, expected)
    }

    /// An error in this file whose `found` repeats nothing of it, wherever the file is from.
    pub fn error_in_our_words(
        &self,
        place: Place,
        found: impl Into<String>,
        expected: impl Into<String>,
    ) -> MeshError {
        // Whatever a reader repeats of a file, and however long that is, a sentence stays one.
        let found = one_line(&found.into());
        let place = match place {
            Place::Part(part) => Place::Part(one_line(&part)),
            other => other,
        };
        MeshError::Parse { file: shown(&self.path), place, found, expected: one_line(&expected.into()) }
    }

    /// Refuses a count that the bytes which are there cannot hold, before memory is taken for it.
    ///
    /// # Errors
    /// When `count` records of at least `bytes_each` bytes are more than the file has.
    pub fn plausible(&self, place: Place, what: &str, count: u64, bytes_each: u64) -> Result<usize> {
        let limit = self.bytes.len() as u64 / bytes_each.max(1);
        if count > limit || count > u64::from(u32::MAX) {
            return Err(self.error(
                place,
                // As the file writes it, so that it can be found there.
                format!(
                    "{count} {what} are announced, but the file has only {} bytes",
                    grouped(self.bytes.len())
                ),
                format!(
                    "at most {} {what} in a file of this size; the file is cut off or damaged",
                    grouped(limit as usize)
                ),
            ));
        }
        Ok(count as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder with a secret beside it, and what a `.veg` file in it says of a file that it includes.
    fn included(name: &str, prepare: impl FnOnce(&Path, &Path)) -> String {
        let dir = tempfile::tempdir().unwrap();
        let (folder, secret) = (dir.path().join("mesh"), dir.path().join("secret"));
        std::fs::create_dir(&folder).unwrap();
        std::fs::write(&secret, "root:swordfish:0:0\n").unwrap();
        prepare(&folder, &secret);
        let path = folder.join("bar.veg");
        let name = name.replace("SECRET", secret.to_str().unwrap());
        std::fs::write(&path, format!("*VERTICES\n4 3 0 0\n*INCLUDE {name}\n")).unwrap();
        let error = crate::io::load(&path).unwrap_err();
        let why = std::error::Error::source(&error).map(ToString::to_string).unwrap_or_default();
        let said = format!("{error}: {why}");
        assert!(!said.contains("swordfish"), "{said}");
        said
    }

    #[test]
    fn a_file_names_nothing_outside_its_folder() {
        for name in ["SECRET", "../secret", "below/../../secret", "..", "."] {
            let said = included(name, |folder, _| std::fs::create_dir(folder.join("below")).unwrap());
            assert!(said.contains("folder") || said.contains("regular"), "{name}: {said}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn links_lead_nowhere_else_and_devices_are_no_files() {
        use std::os::unix::fs::symlink;
        let link = |folder: &Path, secret: &Path| symlink(secret, folder.join("link")).unwrap();
        assert!(included("link", link).contains("folder"));
        let below = |folder: &Path, secret: &Path| {
            symlink(secret.parent().unwrap(), folder.join("below")).unwrap();
        };
        assert!(included("below/secret", below).contains("folder"));
        let device = |folder: &Path, _: &Path| symlink("/dev/zero", folder.join("endless")).unwrap();
        assert!(included("endless", device).contains("folder"));
    }

    #[cfg(unix)]
    #[test]
    fn what_belongs_to_a_file_by_its_name_is_regular_and_not_repeated_from_elsewhere() {
        use std::os::unix::fs::symlink;
        let dir = tempfile::tempdir().unwrap();
        let (folder, secret) = (dir.path().join("mesh"), dir.path().join("secret"));
        std::fs::create_dir(&folder).unwrap();
        std::fs::write(&secret, "root:swordfish:0:0\n").unwrap();
        let said = |to: &Path| {
            let (ele, node) = (folder.join("bar.ele"), folder.join("bar.node"));
            std::fs::write(&ele, "1 4 0\n1 1 2 3 4\n").unwrap();
            let _ = std::fs::remove_file(&node);
            symlink(to, &node).unwrap();
            let error = crate::io::load(&ele).unwrap_err();
            let why = std::error::Error::source(&error).map(ToString::to_string).unwrap_or_default();
            format!("{error}: {why}")
        };
        assert!(said(Path::new("/dev/zero")).contains("regular"));
        let elsewhere = said(&secret);
        assert!(elsewhere.contains("bar.node") && !elsewhere.contains("swordfish"), "{elsewhere}");
        std::fs::copy(&secret, folder.join("own")).unwrap();
        assert!(said(&folder.join("own")).contains("swordfish"), "what lies beside it is its own");
    }

    #[test]
    fn files_that_belong_to_others_have_a_bound() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), [0; 1000]).unwrap();
        assert_eq!(read_regular(file.path(), 1000).unwrap().len(), 1000);
        let error = read_regular(file.path(), 999).unwrap_err().to_string();
        assert!(error.contains("1,000 bytes") && error.contains("999"), "{error}");
    }

    #[test]
    fn what_another_file_holds_is_not_repeated() {
        let beside = |folder: &Path, secret: &Path| {
            std::fs::copy(secret, folder.join("beside")).unwrap();
        };
        let said = included("beside", beside);
        assert!(said.contains("beside") && said.contains("line 1"), "{said}");
    }

    #[test]
    fn files_beside_and_below_are_read() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("below")).unwrap();
        std::fs::write(dir.path().join("below/more.veg"), "*ELEMENTS\nTET\n1 4 0\n1 1 2 3 4\n").unwrap();
        let path = dir.path().join("one.veg");
        let corners = "*VERTICES\n4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n";
        std::fs::write(&path, format!("{corners}*INCLUDE below/more.veg\n")).unwrap();
        assert_eq!(crate::io::load(&path).unwrap().mesh.elements.len(), 1);
    }
}
