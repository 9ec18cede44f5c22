//! Real meshes that are not part of the project: used where they lie beside it, passed over where they do not.

use std::path::PathBuf;

/// The folder `data` of the shared files, or `None` on a machine that has none. `PLIANT_SHARED` names another place.
///
/// A test that gets `None` returns at once; `cargo xtask test` says that it did.
pub fn data() -> Option<PathBuf> {
    let root = match std::env::var_os("PLIANT_SHARED") {
        Some(path) => PathBuf::from(path),
        None => PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared"),
    };
    Some(root.join("data")).filter(|p| p.is_dir())
}
