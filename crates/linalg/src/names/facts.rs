//! Results as facts: one ordered list, from which JSON, text for a terminal and rows of a page are made.
//!
//! A [`Fact`] is a key, a value with its unit, and how people read it. Doors that print it differently would disagree one
//! day; so the list is made once, by the room whose result it is, and a door only chooses a rendering.
//!
//! ```
//! use pliant_linalg::facts::{Fact, Facts};
//! let mut facts = Facts::new();
//! facts.push(Fact::new("vertices", 8).labelled("vertices"));
//! facts.push(Fact::new("volume", 0.25).unit("m³").labelled("volume"));
//! facts.push(Fact::new("bbox", [[0.0; 3], [1.0; 3]].map(|x| x.to_vec()).to_vec()).read_as("size", "1 × 1 × 1 m"));
//! assert_eq!(facts.to_json()["volume"], 0.25);
//! assert_eq!(facts.rows()[1], ("volume".to_owned(), "0.250000 m³".to_owned()));
//! assert_eq!(facts.to_text().lines().last(), Some("  size             1 × 1 × 1 m"));
//! ```

use std::fmt::Write as _;

use serde_json::Map;

/// What a fact says.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Nothing is known; `null`.
    Nothing,
    /// Yes or no.
    Flag(bool),
    /// How many.
    Count(u64),
    /// A measure; one that is not finite is `null` in JSON.
    Number(f64),
    /// Words.
    Text(String),
    /// Several.
    List(Vec<Value>),
    /// Facts about one thing.
    Record(Facts),
}

/// One fact.
#[derive(Clone, Debug, PartialEq)]
pub struct Fact {
    /// What programs call it.
    pub key: String,
    /// What it is.
    pub value: Value,
    /// Of a number: `m`, `Pa`; empty where it has none.
    pub unit: &'static str,
    /// What people read, as label and words, in as many rows as it takes; none for a fact that is for programs alone.
    pub rows: Vec<(String, String)>,
}

/// Facts in order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Facts {
    /// In the order in which they are written.
    pub list: Vec<Fact>,
}

impl Fact {
    /// A fact for programs alone.
    pub fn new(key: impl Into<String>, value: impl Into<Value>) -> Self {
        Self { key: key.into(), value: value.into(), unit: "", rows: Vec::new() }
    }

    /// With the unit of its number.
    #[must_use]
    pub fn unit(self, unit: &'static str) -> Self {
        Self { unit, ..self }
    }

    /// People read it too: a row with this label and the value in words. Call it after [`Fact::unit`].
    #[must_use]
    pub fn labelled(self, label: &str) -> Self {
        let words = match self.unit {
            "" => self.value.in_words(),
            unit => format!("{} {unit}", self.value.in_words()),
        };
        self.read_as(label, words)
    }

    /// People read it in other words: one more row.
    #[must_use]
    pub fn read_as(mut self, label: impl Into<String>, words: impl Into<String>) -> Self {
        self.rows.push((label.into(), words.into()));
        self
    }
}

impl Facts {
    /// None yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends a fact.
    pub fn push(&mut self, fact: Fact) {
        self.list.push(fact);
    }

    /// The fact called `key`.
    pub fn get(&self, key: &str) -> Option<&Fact> {
        self.list.iter().find(|fact| fact.key == key)
    }

    /// A JSON object, keys in order; of two facts with one key the later has its value at the place of the first.
    pub fn to_json(&self) -> Map<String, serde_json::Value> {
        self.list.iter().map(|fact| (fact.key.clone(), fact.value.to_json())).collect()
    }

    /// What people read: label and words, in order.
    pub fn rows(&self) -> Vec<(String, String)> {
        self.list.iter().flat_map(|fact| fact.rows.iter().cloned()).collect()
    }

    /// For a terminal: a line for each row.
    pub fn to_text(&self) -> String {
        text_of(&self.rows())
    }
}

impl FromIterator<Fact> for Facts {
    fn from_iter<I: IntoIterator<Item = Fact>>(facts: I) -> Self {
        Self { list: facts.into_iter().collect() }
    }
}

impl Value {
    /// As JSON.
    pub fn to_json(&self) -> serde_json::Value {
        match self {
            Self::Nothing => serde_json::Value::Null,
            Self::Flag(flag) => (*flag).into(),
            Self::Count(count) => (*count).into(),
            Self::Number(number) => (*number).into(),
            Self::Text(text) => text.as_str().into(),
            Self::List(list) => list.iter().map(Self::to_json).collect(),
            Self::Record(facts) => facts.to_json().into(),
        }
    }

    /// For people: `yes`, six digits of a number, lists with commas.
    pub fn in_words(&self) -> String {
        match self {
            Self::Nothing => "unknown".into(),
            Self::Flag(flag) => if *flag { "yes" } else { "no" }.into(),
            Self::Count(count) => count.to_string(),
            Self::Number(number) => measured(*number),
            Self::Text(text) => text.clone(),
            Self::List(list) => list.iter().map(Self::in_words).collect::<Vec<_>>().join(", "),
            Self::Record(facts) => {
                let words = facts.list.iter().map(|fact| format!("{} {}", fact.key, fact.value.in_words()));
                words.collect::<Vec<_>>().join(", ")
            }
        }
    }
}

impl From<bool> for Value {
    fn from(flag: bool) -> Self {
        Self::Flag(flag)
    }
}

impl From<usize> for Value {
    fn from(count: usize) -> Self {
        Self::Count(count as u64)
    }
}

impl From<u64> for Value {
    fn from(count: u64) -> Self {
        Self::Count(count)
    }
}

impl From<u32> for Value {
    fn from(count: u32) -> Self {
        Self::Count(count.into())
    }
}

impl From<i32> for Value {
    fn from(count: i32) -> Self {
        u64::try_from(count).map_or(Self::Number(count.into()), Self::Count)
    }
}

impl From<f64> for Value {
    fn from(number: f64) -> Self {
        Self::Number(number)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.into())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<[f64; 3]> for Value {
    fn from(numbers: [f64; 3]) -> Self {
        numbers.to_vec().into()
    }
}

impl From<Facts> for Value {
    fn from(facts: Facts) -> Self {
        Self::Record(facts)
    }
}

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Nothing, Into::into)
    }
}

impl<T: Into<Value>> From<Vec<T>> for Value {
    fn from(list: Vec<T>) -> Self {
        Self::List(list.into_iter().map(Into::into).collect())
    }
}

/// Rows as lines for a terminal, all words below each other.
pub fn text_of(rows: &[(String, String)]) -> String {
    let mut text = String::new();
    let width = rows.iter().map(|(label, _)| label.chars().count()).fold(16, usize::max);
    for (label, words) in rows {
        let line = format!("  {label:<width$} {words}");
        let _ = writeln!(text, "{}", line.trim_end());
    }
    text
}

/// Six digits, with an exponent only where it is needed.
pub fn measured(x: f64) -> String {
    match x.abs() {
        0.0 => "0".to_owned(),
        a if (1e-3..1e6).contains(&a) => {
            let decimals = (5 - a.log10().floor() as i32).max(0) as usize;
            format!("{x:.decimals$}")
        }
        _ => format!("{x:.5e}"),
    }
}

/// A constant that somebody chose: six digits, and no more of them than it needs.
pub fn constant(x: f64) -> String {
    format!("{x:.5e}").parse::<f64>().unwrap_or(x).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_list_gives_json_text_and_rows() {
        let inner: Facts = [Fact::new("low", 0.5), Fact::new("high", f64::NAN)].into_iter().collect();
        let facts: Facts = [
            Fact::new("b", 3_usize).labelled("first"),
            Fact::new("a", Some("x < \"y\" & z")).labelled("words"),
            Fact::new("none", None::<f64>),
            Fact::new("length", 1234.5678).unit("m").labelled("length"),
            Fact::new("range", inner).read_as("from", "0.5").read_as("to", "nowhere"),
            Fact::new("flags", vec![true, false]).labelled("flags"),
        ]
        .into_iter()
        .collect();
        let json = serde_json::Value::Object(facts.to_json()).to_string();
        let wanted = r#"{"b":3,"a":"x < \"y\" & z","none":null,"length":1234.5678,"range":{"low":0.5,"high":null},"flags":[true,false]}"#;
        assert_eq!(json, wanted);
        let text = "  first            3\n  words            x < \"y\" & z\n  length           1234.57 m\n  \
                    from             0.5\n  to               nowhere\n  flags            yes, no\n";
        assert_eq!(facts.to_text(), text);
        assert_eq!(facts.rows().len(), text.lines().count());
        assert_eq!(facts.get("length").map(|fact| fact.unit), Some("m"));
    }

    #[test]
    fn the_later_of_two_facts_counts_at_the_place_of_the_first() {
        let facts: Facts =
            [Fact::new("kind", "tets"), Fact::new("x", 1), Fact::new("kind", "model")].into_iter().collect();
        assert_eq!(serde_json::Value::Object(facts.to_json()).to_string(), r#"{"kind":"model","x":1}"#);
    }

    #[test]
    fn constants_have_six_digits() {
        let shown = [(200_000.000_000_000_03, "200000"), (0.45, "0.45"), (1234567.0, "1234570"), (0.0, "0")];
        shown.iter().for_each(|(x, text)| assert_eq!(constant(*x), *text));
        assert_eq!(constant(1.0 / 3.0), "0.333333");
        assert_eq!(measured(0.0) + &measured(2e6), "02.00000e6");
    }
}
