//! Numbers in sentences, as people write them: `0.3` and not `0.30000000000000004`, `1e300` and not a one with three hundred
//! zeros, `37,021` and not `37021`.

/// A number that somebody gave, with the digits that were given: up to twelve, without trailing zeros.
///
/// ```
/// use pliant_linalg::number;
/// assert_eq!(number(0.1 + 0.2), "0.3");
/// assert_eq!(number(1e300), "1e300");
/// assert_eq!(number(0.4999999), "0.4999999");
/// assert_eq!(number(5.0), "5");
/// ```
pub fn number(x: f64) -> String {
    digits(x, 12)
}

/// So many digits that matter, without trailing zeros; very large and very small numbers with an exponent.
pub fn digits(x: f64, digits: usize) -> String {
    if x == 0.0 {
        return "0".into();
    }
    if !x.is_finite() {
        return x.to_string();
    }
    let last = digits.max(1) - 1;
    // Rounded first: 9.99996 with four digits is 10, which has an exponent of its own.
    let rounded = format!("{x:.last$e}");
    let Some((mantissa, exponent)) = rounded.split_once('e') else { return rounded };
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..7).contains(&exponent) {
        let decimals = (last as i32 - exponent).max(0) as usize;
        return trimmed(&format!("{x:.decimals$}")).to_owned();
    }
    format!("{}e{exponent}", trimmed(mantissa))
}

/// Without zeros at the end of a fraction.
fn trimmed(text: &str) -> &str {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text }
}

/// A count with its thousands apart.
///
/// ```
/// assert_eq!(pliant_linalg::grouped(37021), "37,021");
/// ```
pub fn grouped(n: usize) -> String {
    let digits = n.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(c);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        for (x, text) in [
            (0.0, "0"),
            (-0.0, "0"),
            (0.1, "0.1"),
            (1.0 / 3.0, "0.3333"),
            (-12.5, "-12.5"),
            (1234.56, "1235"),
            (123456.0, "123456"),
            (100.0, "100"),
            (1e-9, "1e-9"),
            (2.5e9, "2.5e9"),
            (0.00012346, "0.0001235"),
            (9.99996, "10"),
            (9999999.9, "1e7"),
        ] {
            assert_eq!(digits(x, 4), text);
        }
        assert_eq!(digits(f64::NAN, 4), "NaN");
        assert_eq!(number(f64::NEG_INFINITY), "-inf");
    }

    #[test]
    fn what_was_given_is_said_as_it_was_given() {
        for text in ["0.49", "-1", "1e300", "-2.5e-300", "0.001", "1234567", "0.4999999999"] {
            assert_eq!(number(text.parse().unwrap()), text);
        }
        assert_eq!(number(1e-320), "9.99988867183e-321");
    }

    #[test]
    fn counts_have_their_thousands_apart() {
        assert_eq!(
            [0, 999, 1000, 1_234_567].map(grouped),
            ["0", "999", "1,000", "1,234,567"].map(str::to_owned)
        );
    }
}
