//! The demo, kept between two runs in the user's cache folder.
//!
//! A file that is damaged, or was made with other settings, is made anew; no folder means that it is made each time.

use std::path::PathBuf;

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

/// Where the demo lies that was made with `settings`.
pub(crate) fn demo(settings: &str) -> Option<PathBuf> {
    Some(folder()?.join(format!("demo-{}-{:016x}.pliant", env!("CARGO_PKG_VERSION"), hash(settings))))
}

/// Keeps a model, whole or not at all.
///
/// # Errors
/// A sentence.
pub(crate) fn keep(path: &std::path::Path, model: &Model) -> Result<(), String> {
    let folder = path.parent().ok_or("no folder to keep it in")?;
    std::fs::create_dir_all(folder)
        .map_err(|e| format!("{}: cannot make the folder: {e}", folder.display()))?;
    model.write(path).map_err(|e| crate::job::sentence(&e))
}

/// FNV-1a: for a name, not against anybody.
fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |h, b| (h ^ u64::from(b)).wrapping_mul(0x100_0000_01b3))
}
