//! Our shapes as bodies, kept between two runs in the user's cache folder.
//!
//! A file that is damaged, or was made with other settings, is made anew; no folder means that it is made each time.

use std::path::{Path, PathBuf};

use pliant::linalg::shown;
use pliant::reduce::Model;

/// The folder for what can be made again: `pliant` in that of the system.
pub(crate) fn folder() -> Option<PathBuf> {
    let of = |name: &str| std::env::var_os(name).filter(|x| !x.is_empty()).map(PathBuf::from);
    let home = || of("HOME").filter(|home| home.is_absolute());
    let base = if cfg!(windows) {
        of("LOCALAPPDATA")
    } else if cfg!(target_os = "macos") {
        home().map(|home| home.join("Library/Caches"))
    } else {
        // Relative folders are to be ignored, says the XDG base directory specification.
        of("XDG_CACHE_HOME").filter(|x| x.is_absolute()).or_else(|| home().map(|home| home.join(".cache")))
    };
    Some(base?.join("pliant"))
}

/// Where the body of a shape lies that was made with `settings`.
pub(crate) fn place(shape: &str, settings: &str) -> Option<PathBuf> {
    Some(folder()?.join(format!("{shape}-{}-{:016x}.pliant", env!("CARGO_PKG_VERSION"), hash(settings))))
}

/// The model that is kept at `place`, else the one that `make` makes, which is kept from then on; and why it could not be
/// kept.
///
/// # Errors
/// Those of `make`.
pub(crate) fn kept<E>(
    place: Option<&Path>,
    make: impl FnOnce() -> Result<Model, E>,
) -> Result<(Model, Option<String>), E> {
    if let Some(model) = place.filter(|path| path.is_file()).and_then(|path| Model::read(path).ok()) {
        return Ok((model, None));
    }
    let model = make()?;
    let why = match place.map(|path| keep(path, &model)) {
        Some(Ok(())) => None,
        Some(Err(why)) => Some(format!("it is made anew each time: {why}")),
        None => Some("it is made anew each time: this user has no cache folder".into()),
    };
    Ok((model, why))
}

/// Whole or not at all.
fn keep(path: &Path, model: &Model) -> Result<(), String> {
    let folder = path.parent().ok_or("there is no folder to keep it in")?;
    std::fs::create_dir_all(folder).map_err(|e| format!("{}: cannot make the folder: {e}", shown(folder)))?;
    model.write(path).map_err(|e| crate::words::sentence(&e))
}

/// FNV-1a: for a name, not against anybody.
fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |h, b| (h ^ u64::from(b)).wrapping_mul(0x100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant::energy::Recipe;
    use pliant::linalg::{Vec3, ignore_progress};
    use pliant::reduce::{Precompute, ReduceError};

    #[test]
    fn a_model_is_made_once_and_again_when_its_file_is_damaged() {
        let made = std::cell::Cell::new(0);
        let make = || {
            made.set(made.get() + 1);
            let bar = pliant::mesh::shapes::bar(Vec3::new(1.0, 0.2, 0.2), [2, 1, 1]).into_data();
            let precompute = Precompute { modes: Some(2), poses: Some(5), ..Precompute::default() };
            precompute.build(bar, Recipe::default(), &mut ignore_progress).map(|made| made.model)
        };
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("pliant/demo.pliant");
        let mut bytes = Vec::new();
        for (count, damage) in [(1, false), (1, true), (2, false), (2, false)] {
            let (model, why) = kept::<ReduceError>(Some(&path), make).expect("a model");
            let now = model.to_bytes().expect("bytes");
            assert!(why.is_none() && made.get() == count && (bytes.is_empty() || now == bytes));
            bytes = now;
            drop(model);
            if damage {
                std::fs::write(&path, &bytes[..bytes.len() / 2]).expect("half a file");
            }
        }
        let (_, why) = kept::<ReduceError>(None, make).expect("a model");
        assert!(why.is_some_and(|why| why.contains("no cache folder")));
        let (_, why) = kept::<ReduceError>(Some(&path.join("beneath/a/file.pliant")), make).expect("a model");
        assert!(why.is_some_and(|why| why.contains("cannot make the folder")));
    }

    #[test]
    fn other_settings_are_other_files() {
        let name = |settings: &str| place("dino", settings).and_then(|p| p.file_name().map(|n| n.to_owned()));
        assert!(name("a").is_none() || name("a") != name("b"));
        assert_eq!(name("a"), name("a"));
    }
}
