//! Counts as people write them: `20000`, `2e4`, `20_000`. What could be meant in two ways (`1,000`) is refused.

use std::ops::RangeInclusive;

use pliant::linalg::grouped;

/// Reads a whole number in a range.
pub(crate) fn count(
    allowed: RangeInclusive<u32>,
) -> impl Fn(&str) -> Result<u32, String> + Clone + Send + Sync {
    move |text| {
        let value = whole(text).and_then(|n| u32::try_from(n).ok()).filter(|n| allowed.contains(n));
        value.ok_or_else(|| {
            let (from, to) = (grouped(*allowed.start() as usize), grouped(*allowed.end() as usize));
            let example = if text.contains(',') { "; thousands may be set apart by _" } else { "" };
            format!("expected a whole number from {from} to {to}{example}")
        })
    }
}

/// As [`count`], for what the library counts.
pub(crate) fn size(text: &str) -> Result<usize, String> {
    count(0..=u32::MAX)(text).map(|n| n as usize)
}

/// A whole number of 0 or more, in any spelling that means one.
fn whole(text: &str) -> Option<u64> {
    let text = text.trim();
    // Only between digits, as in the source of programs.
    let apart = text.as_bytes().windows(3).filter(|w| w[1] == b'_');
    let apart = apart.filter(|w| w[0].is_ascii_digit() && w[2].is_ascii_digit()).count();
    if apart != text.matches('_').count() {
        return None;
    }
    let plain = text.replace('_', "");
    if let Ok(n) = plain.parse() {
        return Some(n);
    }
    // 2⁵³: beyond it not every whole number has a spelling of its own.
    let x: f64 = plain.parse().ok()?;
    (x.fract() == 0.0 && (0.0..=9.007e15).contains(&x)).then_some(x as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_in_every_spelling() {
        for text in ["20000", "2e4", "2E4", "20_000", "+20000", "20000.", "20000.0", " 20000 "] {
            assert_eq!(whole(text), Some(20_000), "{text}");
        }
        for text in
            ["", "1,000", "1.5", "-1", "1e", "_1", "1_", "1__0", "1e99", "nan", "inf", "1 000", "0x10"]
        {
            assert_eq!(whole(text), None, "{text}");
        }
    }

    #[test]
    fn what_is_out_of_range_says_the_range() {
        let edges = count(1..=4096);
        assert_eq!((edges("1"), edges("4.096e3")), (Ok(1), Ok(4096)));
        assert_eq!(edges("4097").unwrap_err(), "expected a whole number from 1 to 4,096");
        assert!(edges("1,000").unwrap_err().contains("set apart by _"));
    }
}
