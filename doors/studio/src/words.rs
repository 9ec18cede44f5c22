//! The page's words for what sentences of the library name: its sliders, menus, fields and buttons.

use std::error::Error;

use pliant::energy::{material, shell};
use pliant::linalg::{Note, Term, Terms, in_bounds, term};
use pliant::world::terms_of;

use crate::command::Remark;

/// By the key of a term what the control is called on the page, and what it is.
const CONTROLS: &[(&str, &str, &str)] = &[
    ("young", "Stiffness", "slider"),
    ("stiffness_factor", "Stiffness", "slider"),
    ("density", "Density", "slider"),
    ("density_factor", "Density", "slider"),
    ("gravity", "Gravity", "slider"),
    ("integrator", "Integrator", "menu"),
    ("material", "Material", "menu"),
    ("poisson", "Poisson’s ratio", "slider"),
    ("bend", "Cut from", "menu"),
    ("membrane", "Cut from", "menu"),
    ("thickness", "Cut from", "menu"),
    ("basis", "Basis", "menu"),
    ("forces", "Forces", "menu"),
    ("modes", "Linear modes", "slider"),
    ("rank", "Rank", "slider"),
    ("cubature", "Cubature points", "slider"),
    ("fix", "Paint pins", "button"),
];

/// By the key of a term what of the page helps, as docs/protocol/bodies.md names it. The first of a sentence counts.
const REMEDIES: &[(&str, &str)] = &[
    ("scale_to", "size"),
    ("tets", "form"),
    ("cage", "form"),
    ("boundary", "form"),
    ("resolution", "resolution"),
    ("elements", "resolution"),
    ("edge", "resolution"),
    ("cells", "resolution"),
    ("hold", "hold"),
    ("fix", "hold"),
    ("thickness", "sheet"),
    ("bend", "sheet"),
    ("membrane", "sheet"),
    ("young", "stiffness"),
    ("rank", "rank"),
    ("modes", "rank"),
    ("cubature", "cubature"),
    ("material", "material"),
    ("forces", "forces"),
];

/// What helps against what is said of these terms.
pub(crate) fn remedy(terms: &[Term]) -> Option<&'static str> {
    terms.iter().find_map(|term| REMEDIES.iter().find(|(key, _)| *key == term.key)).map(|(_, remedy)| *remedy)
}

/// What a term is on the page; `None` where nothing there sets it.
fn word(term: Term) -> Option<String> {
    if let Some((_, name, what)) = CONTROLS.iter().find(|(key, ..)| *key == term.key) {
        return Some(format!("the {name} {what}"));
    }
    // Coefficients of one law that a sentence names together.
    let solids = material::ALL.iter().flat_map(|entry| entry.constants);
    let mut own = solids.chain(shell::ALL.iter().flat_map(|entry| entry.constants));
    let is_own = own.any(|constant| constant.key == term.key) || term.key == "mooney";
    is_own.then(|| "its field below the Material menu".to_owned())
}

/// A note of the library as the page says it.
pub(crate) fn note(note: &Note) -> String {
    said(&note.sentence, &note.terms)
}

/// A note of the library as a remark of the page.
pub(crate) fn remark(of: &Note) -> Remark {
    Remark { sentence: note(of), severity: "note", remedy: remedy(&of.terms) }
}

/// A sentence that names terms, as the page says it.
pub(crate) fn said(sentence: &str, terms: &[Term]) -> String {
    term::in_words(sentence, terms, word)
}

/// Anything that names terms, as the page says it.
pub(crate) fn told<T: Terms + std::fmt::Display>(what: &T) -> String {
    said(&what.to_string(), &what.terms())
}

/// An error with its causes, as the page says it.
pub(crate) fn sentence(error: &(dyn Error + 'static)) -> String {
    let mut plain = error.to_string();
    let mut sentence = said(&plain, &terms_of(error));
    let mut cause = error.source();
    while let Some(error) = cause {
        let next = error.to_string();
        // Some errors already say what caused them.
        if !plain.ends_with(&next) {
            sentence = format!("{sentence}: {}", said(&next, &terms_of(error)));
            plain = format!("{plain}: {next}");
        }
        cause = error.source();
    }
    in_bounds(&sentence)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant::energy::EnergyError;
    use pliant::energy::material::Isotropic;
    use pliant::reduce::ReduceError;
    use pliant::sim::SimError;
    use pliant::world::{OpenError, Trouble, WorldError};

    #[test]
    fn every_control_is_on_the_page_by_that_name() {
        let mut page = String::new();
        let mut folders = vec![std::path::PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/web"))];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).expect("the page's sources") {
                let path = entry.expect("a file").path();
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|e| e == "js" || e == "html") {
                    page += &std::fs::read_to_string(path).expect("text");
                }
            }
        }
        for (key, name, _) in CONTROLS {
            assert!(page.contains(&format!(">{name}<")), "{key}: nothing on the page is called {name}");
        }
    }

    #[test]
    fn quantities_are_said_in_the_words_of_the_page() {
        let wrong = || -> EnergyError { Isotropic::from_young_poisson(-1.0, 0.3).expect_err("below zero") };
        let expected = "Young's modulus (the Stiffness slider) must be a finite number > 0 Pa, got -1";
        assert_eq!(sentence(&wrong()), expected);
        assert_eq!(sentence(&OpenError::from(wrong())), expected);
        assert_eq!(sentence(&WorldError::from(SimError::from(ReduceError::from(wrong())))), expected);
        let pinned = sentence(&WorldError::Pinned);
        assert!(pinned.contains("unpin it (the Paint pins button) and rebuild"), "{pinned}");
        assert_eq!(told(&Trouble::NoRest), "its loads allow no rest; take gravity (the Gravity slider) away");
        let constant = material::find("mooney-rivlin").expect("a law").constants[0];
        let missing = EnergyError::MissingConstants { law: "mooney-rivlin", missing: vec![constant] };
        assert!(sentence(&missing).contains("(its field below the Material menu)"), "{}", sentence(&missing));
        // What the page cannot do it has no word for.
        let tets = Note::new("make a solid of it", &[Term::new("tets", "make a solid of it")]);
        assert_eq!(note(&tets), "make a solid of it");
    }
}
