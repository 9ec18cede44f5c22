//! Bytes that many clients load: packed once (gzip), for those who take them so.

use std::io::Write as _;
use std::sync::{Arc, OnceLock};

use flate2::Compression;
use flate2::write::GzEncoder;

/// Bytes, and the same packed when that is first asked for. Copies share both.
#[derive(Clone, Debug, Default)]
pub(crate) struct Packable {
    plain: Arc<Vec<u8>>,
    /// `None`: they cannot be made shorter.
    packed: Arc<OnceLock<Option<Arc<Vec<u8>>>>>,
}

impl Packable {
    pub(crate) fn plain(&self) -> &Arc<Vec<u8>> {
        &self.plain
    }

    /// Takes a tenth of a second for some megabytes, once; `None` where nothing is gained.
    pub(crate) fn packed(&self) -> Option<Arc<Vec<u8>>> {
        self.packed.get_or_init(|| pack(&self.plain).map(Arc::new)).clone()
    }

    /// Packs on a thread of its own, so that nobody waits for it later.
    pub(crate) fn pack_soon(&self) {
        let these = self.clone();
        // A system that gives no thread leaves it to the first who asks.
        let _ = std::thread::Builder::new().name("packing".into()).spawn(move || these.packed());
    }
}

impl From<Vec<u8>> for Packable {
    fn from(plain: Vec<u8>) -> Self {
        Self { plain: Arc::new(plain), packed: Arc::default() }
    }
}

fn pack(plain: &[u8]) -> Option<Vec<u8>> {
    // Most of it are digits that nothing foretells: more effort takes longer and gains a hundredth.
    let mut to = GzEncoder::new(Vec::with_capacity(plain.len()), Compression::fast());
    to.write_all(plain).ok()?;
    to.finish().ok().filter(|packed| packed.len() < plain.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read as _;

    #[test]
    fn what_is_packed_is_packed_once_and_comes_out_as_it_was() {
        let bytes: Vec<u8> = (0..50_000_u32).flat_map(|k| (k / 7).to_le_bytes()).collect();
        let packable = Packable::from(bytes.clone());
        let packed = packable.packed().expect("it repeats itself");
        assert!(packed.len() < bytes.len() / 2, "{}", packed.len());
        assert!(Arc::ptr_eq(&packed, &packable.clone().packed().expect("the same")));
        let mut out = Vec::new();
        flate2::read::GzDecoder::new(&packed[..]).read_to_end(&mut out).expect("sound");
        assert!(out == bytes && **packable.plain() == bytes);
        assert!(Packable::from(vec![7]).packed().is_none(), "shorter as it is");
    }
}
