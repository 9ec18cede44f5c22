//! Every target on its seeds, whole and damaged, the same damage in every run. `cargo xtask fuzz` looks further: it follows what
//! an input reaches, watches the memory, and takes as long as it is given.

/// Damaged copies of the seeds of a target.
const COPIES: usize = 1500;

/// Numbers that readers multiply, index and allocate by, and signs that formats are made of.
const WORDS: &[&[u8]] = &[
    b"4294967295",
    b"18446744073709551615",
    b"-1",
    b"1e308",
    b"nan",
    b"0",
    b"\"",
    b"<",
    b"\n",
    b"#",
    b"\xff\xff\xff\xff",
    b"\0\0\0\x80",
    pliant_fuzz::SPLIT,
    &LONG,
    b" long \x1b[2J name ",
];

/// More than anybody wants to read again.
const LONG: [u8; 3000] = [b'x'; 3000];

/// Xorshift.
struct Dice(u64);

impl Dice {
    /// Below `bound`, which is not zero.
    fn roll(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % bound
    }

    /// Where a cut-out of a file begins and ends.
    fn range(&mut self, length: usize) -> std::ops::Range<usize> {
        let from = self.roll(length + 1);
        let most = (length - from).min(64);
        from..from + self.roll(most + 1)
    }
}

/// One to four injuries; `other` is a file from which pieces are taken.
fn damage(bytes: &mut Vec<u8>, other: &[u8], dice: &mut Dice) {
    for _ in 0..=dice.roll(4) {
        let range = dice.range(bytes.len());
        match dice.roll(6) {
            0 if !bytes.is_empty() => {
                let at = dice.roll(bytes.len());
                bytes[at] ^= 1 << dice.roll(8);
            }
            1 => bytes.truncate(range.start),
            2 => drop(bytes.drain(range)),
            3 => {
                let word = WORDS[dice.roll(WORDS.len())];
                bytes.splice(range, word.iter().copied());
            }
            4 => {
                let piece = other[dice.range(other.len())].to_vec();
                bytes.splice(range, piece);
            }
            _ => {
                let piece = bytes[range].to_vec();
                let at = dice.roll(bytes.len() + 1);
                bytes.splice(at..at, piece);
            }
        }
    }
}

#[test]
fn no_reader_panics_on_its_seeds_or_on_damaged_ones() {
    let names: Vec<&str> = pliant_fuzz::names().collect();
    assert!(names.len() > 15, "targets: {names:?}");
    let mut broken = Vec::new();
    'targets: for name in names {
        let run = pliant_fuzz::target(name).expect("it is listed");
        let seeds = pliant_fuzz::seeds(name);
        assert!(!seeds.is_empty(), "{name} has no seeds");
        let mut dice = Dice(0x9E37_79B9_7F4A_7C15);
        for copy in 0..seeds.len() + COPIES {
            let (seed, whole) = &seeds[copy % seeds.len()];
            let mut bytes = whole.clone();
            if copy >= seeds.len() {
                let other = &seeds[dice.roll(seeds.len())].1;
                damage(&mut bytes, other, &mut dice);
            }
            let sound = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| run(&bytes))).is_ok();
            if !sound {
                broken.push(format!("{name}, copy {copy} of {seed}: {}", String::from_utf8_lossy(&bytes)));
                continue 'targets;
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n\n"));
}
