//! Files that appear whole or not at all, together, however long they take to write.
//!
//! Each file grows under a temporary name beside its target; [`Pending::commit`] gives all of them their names. Whatever
//! ends the work before that (an error, a wish to stop, [`stop_writing`]) leaves nothing behind.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{BufWriter, Cursor, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard};

use crate::{MeshError, Result};

/// The temporary files of this process. Held while files are made and renamed: whoever ends the process takes it first,
/// and so never in the middle of a set of files.
static OPEN: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

fn open() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    // A panic elsewhere leaves the list as good as it was.
    OPEN.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// Removes what is half written and keeps new files from being started: to be called right before the process is ended
/// from outside, by an interrupt.
pub fn stop_writing() {
    let mut files = open();
    for temporary in std::mem::take(&mut *files) {
        // It may be gone already; there is nobody left to tell.
        let _ = std::fs::remove_file(temporary);
    }
    std::mem::forget(files);
}

/// Writes several files, each whole or not at all. When one cannot be written, or there is a folder of its name, none of
/// them appears. (Should the disk refuse to rename a file that it has taken, those before it stay.)
///
/// # Errors
/// The first file that the disk refuses.
pub fn write_whole(files: &[(PathBuf, Vec<u8>)]) -> Result<()> {
    let mut pending = Pending::new();
    for (path, bytes) in files {
        pending.file(path, |out| out.put(bytes))?;
    }
    pending.commit()
}

/// Files that are written one after another and appear together.
///
/// ```
/// # fn main() -> pliant_mesh::Result<()> {
/// # let folder = std::env::temp_dir();
/// # let path = folder.join(format!("pliant-pending-{}", std::process::id()));
/// let mut files = pliant_mesh::io::Pending::new();
/// files.file(&path, |out| (0..3u8).try_for_each(|piece| out.put(&[piece])))?;
/// assert!(!path.exists());
/// files.commit()?;
/// assert_eq!(std::fs::read(&path).unwrap(), [0, 1, 2]);
/// # std::fs::remove_file(&path).unwrap();
/// # Ok(())
/// # }
/// ```
#[must_use = "no file appears until `.commit()`"]
#[derive(Debug, Default)]
pub struct Pending {
    files: Vec<Waiting>,
    /// Folders that were made for them.
    folders: Vec<PathBuf>,
}

/// Links that lead to links.
const MOST_LINKS: usize = 40;

/// What a path leads to through links, which stay, also where nothing is there yet.
fn behind_links(path: &Path) -> std::io::Result<PathBuf> {
    if let Ok(real) = path.canonicalize() {
        return Ok(real);
    }
    let mut path = path.to_owned();
    for _ in 0..MOST_LINKS {
        let Ok(next) = path.read_link() else { return Ok(path) };
        // Relative to where the link lies.
        path = path.parent().map_or(next.clone(), |folder| folder.join(&next));
    }
    Err(std::io::Error::other("its links lead to each other"))
}

/// A file under its temporary name.
#[derive(Debug)]
struct Waiting {
    path: PathBuf,
    temporary: PathBuf,
}

impl Pending {
    /// No files yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Makes a folder for files to come, if it is not there; it goes again, if it is empty, when they do not come.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn folder(&mut self, path: &Path) -> Result<()> {
        if path.is_dir() {
            return Ok(());
        }
        std::fs::create_dir(path).map_err(|source| refused(path, source))?;
        self.folders.push(path.to_owned());
        Ok(())
    }

    /// Adds a file; `fill` writes it, piece by piece.
    ///
    /// # Errors
    /// When the disk refuses, there is a folder of that name, or `fill` fails.
    pub fn file(&mut self, path: &Path, fill: impl FnOnce(&mut Out) -> Result<()>) -> Result<()> {
        if path.is_dir() {
            return Err(refused(path, std::io::ErrorKind::IsADirectory.into()));
        }
        let path = &behind_links(path).map_err(|source| refused(path, source))?;
        let name = path.file_name().and_then(|n| n.to_str()).unwrap_or("out");
        // Named after the process, so that two runs into one folder never share a temporary file.
        let temporary = path.with_file_name(format!(".{name}.{}.part", std::process::id()));
        let file = {
            let mut files = open();
            let file = File::create(&temporary).map_err(|source| refused(path, source))?;
            files.insert(temporary.clone());
            // What replaces a file may be read and written by whom that may; where the disk knows no such thing, as it is.
            if let Ok(about) = path.metadata() {
                let _ = file.set_permissions(about.permissions());
            }
            file
        };
        self.files.push(Waiting { path: path.to_owned(), temporary });
        let sink = Sink::File(BufWriter::with_capacity(1 << 16, file));
        let mut out = Out { sink, path: path.to_owned() };
        fill(&mut out)?;
        out.writer().flush().map_err(|source| refused(path, source))
    }

    /// Gives all files their names.
    ///
    /// # Errors
    /// The first file that the disk refuses.
    pub fn commit(mut self) -> Result<()> {
        let mut files = open();
        // In the order in which they were added, so that a file which names others, added last, never names what is not
        // there. What is left in the list when the disk refuses is removed with it.
        self.files.reverse();
        while let Some(Waiting { path, temporary }) = self.files.pop() {
            if let Err(source) = std::fs::rename(&temporary, &path) {
                self.files.push(Waiting { path: path.clone(), temporary });
                drop(files);
                return Err(refused(&path, source));
            }
            files.remove(&temporary);
        }
        self.folders.clear();
        Ok(())
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        if self.files.is_empty() && self.folders.is_empty() {
            return;
        }
        let mut files = open();
        for Waiting { temporary, .. } in &self.files {
            // There is nobody left to tell.
            let _ = std::fs::remove_file(temporary);
            files.remove(temporary);
        }
        for folder in &self.folders {
            // Only where it is empty: the disk refuses otherwise.
            let _ = std::fs::remove_dir(folder);
        }
    }
}

/// A file that is being written.
#[derive(Debug)]
pub struct Out {
    sink: Sink,
    path: PathBuf,
}

#[derive(Debug)]
enum Sink {
    File(BufWriter<File>),
    Memory(Cursor<Vec<u8>>),
}

/// The bytes of a file that nobody puts on a disk; `fill` writes it, piece by piece.
///
/// # Errors
/// When `fill` fails.
pub fn in_memory(fill: impl FnOnce(&mut Out) -> Result<()>) -> Result<Vec<u8>> {
    let mut out = Out { sink: Sink::Memory(Cursor::default()), path: PathBuf::from("memory") };
    fill(&mut out)?;
    match out.sink {
        Sink::Memory(bytes) => Ok(bytes.into_inner()),
        Sink::File(_) => unreachable!("made of memory in the lines above"),
    }
}

/// What can be written, and written over.
trait WriteSeek: Write + Seek {}

impl<T: Write + Seek> WriteSeek for T {}

impl Out {
    fn writer(&mut self) -> &mut dyn WriteSeek {
        match &mut self.sink {
            Sink::File(file) => file,
            Sink::Memory(bytes) => bytes,
        }
    }

    /// Appends bytes.
    ///
    /// # Errors
    /// When the disk refuses, with the name of the file.
    pub fn put(&mut self, bytes: &[u8]) -> Result<()> {
        self.writer().write_all(bytes).map_err(|source| refused(&self.path, source))
    }

    /// Writes over bytes that are there already, and goes on at the end.
    ///
    /// # Errors
    /// When the disk refuses, with the name of the file.
    pub(crate) fn patch(&mut self, at: u64, bytes: &[u8]) -> Result<()> {
        let file = self.writer();
        let patched = file
            .seek(SeekFrom::Start(at))
            .and_then(|_| file.write_all(bytes))
            .and_then(|()| file.seek(SeekFrom::End(0)));
        patched.map(|_| ()).map_err(|source| refused(&self.path, source))
    }
}

fn refused(path: &Path, source: std::io::Error) -> MeshError {
    MeshError::Io { path: path.to_owned(), action: "write", source }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_of_the_name_of_a_later_file_is_seen_first() {
        let dir = tempfile::tempdir().unwrap();
        let (good, folder) = (dir.path().join("good"), dir.path().join("folder"));
        std::fs::create_dir(&folder).unwrap();
        let error = write_whole(&[(good.clone(), vec![1]), (folder, vec![2])]).unwrap_err().to_string();
        assert!(error.contains("folder") && !good.exists(), "{error}");
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1, "no temporary file is left");
    }

    #[test]
    fn when_one_file_cannot_be_written_none_appears() {
        let dir = tempfile::tempdir().unwrap();
        let good = dir.path().join("good");
        let files = [(good.clone(), vec![1]), (dir.path().join("no such folder/bad"), vec![2])];
        assert!(write_whole(&files).is_err());
        assert!(!good.exists());
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0, "no temporary file is left");
    }

    #[test]
    fn work_that_stops_halfway_leaves_neither_files_nor_folders() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("frames");
        let mut files = Pending::new();
        files.folder(&folder).unwrap();
        files.file(&folder.join("0"), |out| out.put(b"whole")).unwrap();
        let stopped = files.file(&folder.join("1"), |out| {
            out.put(b"half")?;
            Err(MeshError::Cancelled)
        });
        assert!(matches!(stopped, Err(MeshError::Cancelled)));
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 2);
        drop(files);
        assert!(!folder.exists());
    }

    #[cfg(unix)]
    #[test]
    fn links_stay_and_so_do_permissions() {
        use std::os::unix::fs::{PermissionsExt as _, symlink};
        let dir = tempfile::tempdir().unwrap();
        let (folder, link) = (dir.path().join("elsewhere"), dir.path().join("link"));
        std::fs::create_dir(&folder).unwrap();
        let target = folder.join("target");
        std::fs::write(&target, b"old").unwrap();
        std::fs::set_permissions(&target, std::fs::Permissions::from_mode(0o640)).unwrap();
        symlink(&target, &link).unwrap();
        write_whole(&[(link.clone(), b"new".to_vec())]).unwrap();
        assert_eq!(std::fs::read(&target).unwrap(), b"new");
        assert!(link.symlink_metadata().unwrap().is_symlink());
        assert_eq!(target.metadata().unwrap().permissions().mode() & 0o777, 0o640);
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1, "no temporary file is left");
        // A link to nothing, here from the folder that it lies in: what it leads to is made.
        std::fs::remove_file(&target).unwrap();
        let relative = dir.path().join("relative");
        symlink("elsewhere/target", &relative).unwrap();
        for link in [&link, &relative] {
            write_whole(&[(link.clone(), b"newer".to_vec())]).unwrap();
            assert_eq!(std::fs::read(&target).unwrap(), b"newer");
            assert!(link.symlink_metadata().unwrap().is_symlink());
            std::fs::remove_file(&target).unwrap();
        }
        let around = dir.path().join("around");
        symlink(&around, &around).unwrap();
        assert!(
            write_whole(&[(around.clone(), b"never".to_vec())]).is_err(),
            "a link to itself leads nowhere"
        );
        assert!(around.symlink_metadata().unwrap().is_symlink());
    }

    #[test]
    fn bytes_can_be_put_right_later() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file");
        let mut files = Pending::new();
        let fill = |out: &mut Out| {
            out.put(b"0000 and")?;
            out.patch(1, b"12")?;
            out.put(b" more")
        };
        files.file(&path, fill).unwrap();
        files.commit().unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"0120 and more");
    }
}
