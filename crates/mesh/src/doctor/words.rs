//! Findings for people: short sentences with a count, the first few names and a place.

pub(super) use pliant_linalg::digits;
use pliant_linalg::{Vec3, grouped};

/// "1 face", "12 faces".
pub(super) fn count(n: usize, one: &str) -> String {
    match n {
        1 => format!("1 {one}"),
        _ => format!("{} {}", grouped(n), plural(one)),
    }
}

/// "face" → "faces", "vertex" → "vertices".
pub(super) fn plural(one: &str) -> String {
    match one {
        "vertex" => "vertices".into(),
        _ => format!("{one}s"),
    }
}

/// `one` for one, `more` for more: "is"/"are".
pub(super) fn verb<'a>(n: usize, one: &'a str, more: &'a str) -> &'a str {
    if n == 1 { one } else { more }
}

/// The first few of a list: "17, 43, 51, …".
pub(super) fn few<T>(items: &[T], show: impl Fn(&T) -> String) -> String {
    let mut text = items.iter().take(3).map(show).collect::<Vec<_>>().join(", ");
    if items.len() > 3 {
        text.push_str(", …");
    }
    text
}

/// "(0.1, 0.2, 0.3)".
pub(super) fn place(p: &Vec3) -> String {
    format!("({}, {}, {})", number(p.x), number(p.y), number(p.z))
}

/// Four digits that matter, without trailing zeros.
pub(super) fn number(x: f64) -> String {
    digits(x, 4)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_places_and_lists_are_short() {
        assert_eq!(place(&Vec3::new(1.0 / 3.0, 0.0, 1e-9)), "(0.3333, 0, 1e-9)");
        assert_eq!(few(&[1, 2, 3, 4], i32::to_string), "1, 2, 3, …");
        assert_eq!((count(1, "vertex"), count(2, "vertex")), ("1 vertex".into(), "2 vertices".into()));
        assert_eq!(count(12_345, "face"), "12,345 faces");
    }
}
