//! Every colour of every picture, in one place.
//!
//! Marks and regions take the eight colours of Okabe and Ito ("Color universal design", 2008), which people with any
//! colour vision tell apart; regions use them softened, so that light and shadow still show on them.

use crate::Colour;

/// A body seen from outside.
pub const BODY: Colour = Colour::hex(0x8f_b3d1);
/// The inside of a solid where it is cut.
pub const CUT: Colour = Colour::hex(0xf6_d38d);
/// The back of a face: what one sees of a face that is turned over, or through a hole.
pub const BACK: Colour = Colour::hex(0xb9_7f9d);
/// An embedded surface.
pub const EMBEDDED: Colour = Colour::hex(0xc9_cdd2);
/// A body on which marks are to stand out.
pub const PALE: Colour = Colour::hex(0xbc_c6cf);
/// Edges of elements.
pub const INK: Colour = Colour::hex(0x16_2433);
/// Words and numbers.
pub const TEXT: Colour = Colour::hex(0x2b_3643);
/// Words of less weight.
pub const QUIET: Colour = Colour::hex(0x66_7382);
/// The paper: above, below.
pub const PAPER: [Colour; 2] = [Colour::hex(0xfb_fcfd), Colour::hex(0xe6_eaee)];

/// Marks, in the order in which they are given out: vermilion, blue, bluish green, reddish purple, orange, sky blue,
/// black, yellow.
pub const MARKS: [Colour; 8] = [
    Colour::hex(0xd5_5e00),
    Colour::hex(0x00_72b2),
    Colour::hex(0x00_9e73),
    Colour::hex(0xcc_79a7),
    Colour::hex(0xe6_9f00),
    Colour::hex(0x56_b4e9),
    Colour::hex(0x22_2222),
    Colour::hex(0xf0_e442),
];

/// Fixed vertices.
pub const FIXED: Colour = MARKS[0];

/// The colour of region `r`: a soft one, repeated after eight, each time a little darker.
pub fn region(r: usize) -> Colour {
    const ORDER: [usize; 8] = [5, 4, 2, 3, 1, 7, 0, 6];
    let soft = MARKS[ORDER[r % 8]].mixed(Colour::hex(0xe8_ecf0), 0.42);
    let darker = 1.0 - 1.0 / (1.0 + 0.25 * (r / 8) as f32);
    soft.mixed(INK, darker)
}

/// The inside of a solid of the given colour where it is cut: the same hue, nearer to white.
pub fn cut_of(outside: Colour) -> Colour {
    outside.mixed(Colour::hex(0xff_fbf2), 0.42)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regions_and_marks_differ_visibly() {
        let distance = |a: Colour, b: Colour| {
            let (a, b) = (a.oklab(), b.oklab());
            (0..3).map(|c| (a[c] - b[c]).powi(2)).sum::<f64>().sqrt()
        };
        for i in 0..8 {
            for j in 0..i {
                assert!(distance(MARKS[i], MARKS[j]) > 0.1, "marks {i}, {j}");
                assert!(distance(region(i), region(j)) > 0.05, "regions {i}, {j}");
            }
        }
        assert!(distance(BODY, CUT) > 0.1 && distance(BODY, BACK) > 0.1);
    }
}
