//! Frames as a client reads them, from docs/protocol.md.

use crate::family;
use crate::protocol::{FRAME_HEAD, SECTION_HEAD};

#[derive(Clone, Debug)]
pub(super) struct Seen {
    pub(super) paused: bool,
    pub(super) at_rest: bool,
    pub(super) bodies: Vec<SeenBody>,
    pub(super) hands: Vec<SeenHand>,
}

#[derive(Clone, Debug)]
pub(super) struct SeenBody {
    pub(super) number: u32,
    pub(super) at_rest: bool,
    pub(super) time: f64,
    pub(super) elastic: f32,
    pub(super) position: [f32; 3],
    pub(super) q: Vec<f32>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct SeenHand {
    pub(super) client: u32,
    pub(super) body: u32,
    pub(super) vertex: u32,
    pub(super) target: [f32; 3],
    pub(super) force: [f32; 3],
}

fn array<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    bytes[at..at + N].try_into().expect("a frame that is whole")
}

fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes(array(bytes, at))
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(array(bytes, at))
}

fn f32_at(bytes: &[u8], at: usize) -> f32 {
    f32::from_le_bytes(array(bytes, at))
}

fn three(bytes: &[u8], at: usize) -> [f32; 3] {
    [0, 4, 8].map(|k| f32_at(bytes, at + k))
}

fn place(family: &str) -> Option<usize> {
    family::known().iter().position(|known| known.name == family)
}

impl Seen {
    /// `None` of the nothing that is there before the first frame.
    pub(super) fn read(bytes: &[u8]) -> Option<Self> {
        if bytes.is_empty() {
            return None;
        }
        assert_eq!(bytes[0], 2);
        let flags = bytes[1];
        let mut seen =
            Self { paused: flags & 1 != 0, at_rest: flags & 2 != 0, bodies: Vec::new(), hands: Vec::new() };
        let mut at = FRAME_HEAD;
        for _ in 0..u16_at(bytes, 2) {
            let (of, length) = (usize::from(u16_at(bytes, at)), u32_at(bytes, at + 4) as usize);
            let said = &bytes[at + SECTION_HEAD..at + SECTION_HEAD + length];
            at += SECTION_HEAD + length;
            if Some(of) == place("bodies") {
                seen.bodies = bodies(said);
            } else if Some(of) == place("hand") {
                seen.hands = said.chunks_exact(40).map(hand).collect();
            }
        }
        assert_eq!(at, bytes.len());
        Some(seen)
    }
}

fn bodies(mut said: &[u8]) -> Vec<SeenBody> {
    let mut bodies = Vec::new();
    while !said.is_empty() {
        let r = usize::from(u16_at(said, 4));
        bodies.push(SeenBody {
            number: u32_at(said, 0),
            at_rest: u16_at(said, 6) & 1 != 0,
            time: f64::from_le_bytes(array(said, 8)),
            elastic: f32_at(said, 20),
            position: three(said, 24),
            q: (0..r).map(|k| f32_at(said, 52 + 4 * k)).collect(),
        });
        said = &said[52 + 4 * r..];
    }
    bodies
}

fn hand(said: &[u8]) -> SeenHand {
    SeenHand {
        client: u32_at(said, 0),
        body: u32_at(said, 8),
        vertex: u32_at(said, 12),
        target: three(said, 16),
        force: three(said, 28),
    }
}
