//! Laws of materials as words of text formats: in our comments any law, in Vega's files the two that it knows.
//!
//! ```text
//! isotropic DENSITY YOUNG POISSON                no law is named, and these are its constants
//! mooney-rivlin DENSITY MU01 MU10 V1
//! constants DENSITY KEY VALUE KEY VALUE …        no law is named
//! named LAW DENSITY KEY VALUE KEY VALUE …
//! ```

use std::fmt::Write as _;

use pliant_linalg::{number, quote};

use super::annotations::{decode_name, encode_name};
use super::text::parse_number;
use crate::Law;
use crate::matter::Fault;

/// Mooney-Rivlin: its name, and its constants in the order in which Vega's files list them.
const MOONEY_RIVLIN: (&str, [&str; 3]) = ("mooney-rivlin", ["mu01", "mu10", "v1"]);

/// What may stand behind the name of a material in a comment.
pub(super) const EXPECTED: &str =
    "isotropic or mooney-rivlin and its numbers, or constants or named with keys and values";

/// A law with a density as words of a comment.
pub(super) fn to_words(density: f64, law: &Law) -> String {
    if let Some([young, poisson]) = law.as_isotropic() {
        return format!("isotropic {density:?} {young:?} {poisson:?}");
    }
    let (name, keys) = MOONEY_RIVLIN;
    if let Some([mu01, mu10, v1]) = law.exactly(Some(name), keys) {
        return format!("{name} {density:?} {mu01:?} {mu10:?} {v1:?}");
    }
    let mut out = match &law.name {
        None => format!("constants {density:?}"),
        Some(name) => format!("named {} {density:?}", encode_name(name)),
    };
    for (key, value) in &law.constants {
        let _ = write!(out, " {} {value:?}", encode_name(key));
    }
    out
}

/// A density and a law from the words of a comment.
pub(super) fn from_words<'a>(mut words: impl Iterator<Item = &'a str>) -> Option<(f64, Law)> {
    let number = |word: &str| parse_number(word.as_bytes());
    match words.next()? {
        "isotropic" => match words.map(number).collect::<Option<Vec<f64>>>()?[..] {
            [density, young, poisson] => Some((density, Law::isotropic(young, poisson))),
            _ => None,
        },
        "mooney-rivlin" => match words.map(number).collect::<Option<Vec<f64>>>()?[..] {
            [density, mu01, mu10, v1] => Some((density, mooney_rivlin([mu01, mu10, v1]))),
            _ => None,
        },
        kind @ ("constants" | "named") => {
            let name = if kind == "named" { Some(decode_name(words.next()?)) } else { None };
            let density = number(words.next()?)?;
            let mut law = Law { name, ..Law::default() };
            while let Some(key) = words.next() {
                law.constants.insert(decode_name(key), number(words.next()?)?);
            }
            Some((density, law))
        }
        _ => None,
    }
}

/// A law with a density as a line of Vega's files; `None` for laws that they have no word for.
pub(super) fn to_vega(density: f64, law: &Law) -> Option<String> {
    if let Some([young, poisson]) = law.as_isotropic() {
        return Some(format!("ENU, {density:?}, {young:?}, {poisson:?}"));
    }
    let [mu01, mu10, v1] = law.exactly(Some(MOONEY_RIVLIN.0), MOONEY_RIVLIN.1)?;
    Some(format!("MOONEYRIVLIN, {density:?}, {mu01:?}, {mu10:?}, {v1:?}"))
}

/// A density and a law from the word and the numbers of a line of Vega's files.
pub(super) fn from_vega(kind: &[u8], numbers: &[f64]) -> Option<(f64, Law)> {
    match (kind, numbers) {
        (b"ENU", &[density, young, poisson]) => Some((density, Law::isotropic(young, poisson))),
        (b"MOONEYRIVLIN", &[density, mu01, mu10, v1]) => Some((density, mooney_rivlin([mu01, mu10, v1]))),
        _ => None,
    }
}

/// Refuses what Vega refuses: coefficients below zero, and none of a kind.
pub(super) fn vega_fault(name: &str, law: &Law) -> Option<Fault> {
    let [mu01, mu10, v1] = law.exactly(Some(MOONEY_RIVLIN.0), MOONEY_RIVLIN.1)?;
    let name = quote(name);
    for (what, x) in [("mu01", mu01), ("mu10", mu10)] {
        if !(x.is_finite() && x >= 0.0) {
            let found = format!("material {name} has {what} = {} Pa", number(x));
            return Some(Fault { found, allowed: "a finite number >= 0" });
        }
    }
    for (what, x) in [("sum mu01 + mu10", mu01 + mu10), ("volume coefficient v1", v1)] {
        if !(x.is_finite() && x > 0.0) {
            let found = format!("material {name} has the {what} {} Pa", number(x));
            return Some(Fault { found, allowed: "a finite number > 0" });
        }
    }
    None
}

fn mooney_rivlin(constants: [f64; 3]) -> Law {
    Law::named(MOONEY_RIVLIN.0, MOONEY_RIVLIN.1.into_iter().zip(constants))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_law_comes_back_and_old_ones_are_written_as_ever() {
        let of_no_name = Law { name: None, ..Law::named("", [("k 1", -0.1), ("young", 2e5)]) };
        for (law, words) in [
            (Law::isotropic(1e6, 0.45), "isotropic 1000.0 1000000.0 0.45"),
            (mooney_rivlin([1e4, 3e4, 5e5]), "mooney-rivlin 1000.0 10000.0 30000.0 500000.0"),
            (Law::named("foam", [("a", 1.0), ("b", 2.5)]), "named foam 1000.0 a 1.0 b 2.5"),
            (Law::named("mooney-rivlin", []), "named mooney-rivlin 1000.0"),
            (
                Law::named("stvk", [("young", 1e6), ("poisson", 0.3)]),
                "named stvk 1000.0 poisson 0.3 young 1000000.0",
            ),
            (of_no_name, "constants 1000.0 k%201 -0.1 young 200000.0"),
            (Law::default(), "constants 1000.0"),
        ] {
            assert_eq!(to_words(1000.0, &law), words);
            assert_eq!(from_words(words.split(' ')), Some((1000.0, law)), "{words}");
        }
        for words in
            ["", "isotropic 1 2", "named", "named foam", "named foam 1 a", "constants 1 a b", "wood 1"]
        {
            assert_eq!(from_words(words.split_ascii_whitespace()), None, "{words}");
        }
    }
}
