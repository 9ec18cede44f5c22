//! What errors and notes sound like, whatever a file or a command line holds: one short line that says once what was expected.

use std::error::Error;

/// Characters of a message, its causes included.
const LONGEST: usize = 700;

/// Digits in a row: no f64 and no u64 needs more.
const DIGITS: usize = 20;

/// Notes of one file.
const NOTES: usize = 40;

/// Panics where an error is not fit to be read.
pub fn error(error: &dyn Error) {
    let mut said = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        said = format!("{said}: {error}");
        cause = error.source();
    }
    message(&said);
    line(&said);
}

/// Panics where what a program wrote to its user says more than once what was expected.
#[track_caller]
pub fn message(said: &str) {
    let ours = ours(said);
    let expected = ours.split(|c: char| !c.is_alphabetic()).filter(|word| *word == "expected").count();
    assert!(expected <= 1, "says {expected} times what was expected: {said}");
}

/// Panics where the notes of a file are not fit to be read.
pub fn notes(notes: &[String]) {
    assert!(notes.len() <= NOTES, "{} notes, such as {:?}", notes.len(), &notes[..2]);
    notes.iter().for_each(|note| line(note));
}

/// Without what is quoted.
fn ours(said: &str) -> String {
    said.replace("\\\"", "").split('"').step_by(2).collect()
}

fn line(said: &str) {
    let characters = said.chars().count();
    assert!(characters <= LONGEST, "{characters} characters: {said}");
    assert!(!said.chars().any(char::is_control), "more than a line: {said:?}");
    let longest = ours(said);
    let longest = longest.split(|c: char| !c.is_ascii_digit()).map(str::len).max().unwrap_or(0);
    assert!(longest <= DIGITS, "a number of {longest} digits: {said}");
}

#[cfg(test)]
mod tests {
    use std::panic::catch_unwind;

    fn is_refused(said: &str) -> bool {
        let error: Box<dyn std::error::Error + Send + Sync> = said.into();
        catch_unwind(std::panic::AssertUnwindSafe(|| super::error(&*error))).is_err()
    }

    #[test]
    fn what_nobody_wants_to_read_is_refused() {
        assert!(!is_refused("bar.veg: line 3: found \"x\"; expected a number from 1 to 8"));
        assert!(is_refused("found x, expected a number; expected a line of a file"));
        assert!(!is_refused("found \"expected\", an unexpected word; expected a number"));
        assert!(is_refused("two\nlines"));
        assert!(is_refused(&"long ".repeat(200)));
        assert!(is_refused(&format!("the length {}", 1e300)));
        assert!(catch_unwind(|| super::notes(&vec!["skipped".to_owned(); 100])).is_err());
    }
}
