//! What is to be said about a file on one page: facts, findings, pictures.

use crate::page::{Section, html_page};

/// How much a finding matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Good to know.
    Note,
    /// The file can be used, but something is off.
    Warning,
    /// The file cannot be used as it is.
    Error,
}

impl Severity {
    /// `note`, `warning` or `error`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// The page as HTML text. `facts` are pairs of a name and a value, `findings` whole sentences, `pictures` a caption and
/// the bytes of a PNG. Everything is escaped.
///
/// ```
/// use pliant_draw::{Severity, html_report};
/// let page = html_report("bar", &[("tets".into(), "60".into())], &[(Severity::Note, "a < b".into())], &[]);
/// assert!(page.contains("a &lt; b"));
/// ```
pub fn html_report(
    title: &str,
    facts: &[(String, String)],
    findings: &[(Severity, String)],
    pictures: &[(String, Vec<u8>)],
) -> String {
    let mut sections = Vec::new();
    let figure = |(caption, png): &(String, Vec<u8>)| Section::Picture(png.clone(), caption.clone());
    let (first, others) = pictures.split_at(pictures.len().min(1));
    sections.extend(first.iter().map(figure));
    if !findings.is_empty() {
        sections.push(Section::Heading("Findings".into()));
        sections.push(Section::Findings(findings.to_vec()));
    }
    if !facts.is_empty() {
        sections.push(Section::Heading("Facts".into()));
        sections.push(Section::Facts(facts.to_vec()));
    }
    sections.extend(others.iter().map(figure));
    html_page(title, &verdict(findings), &sections)
}

/// One sentence above everything.
fn verdict(findings: &[(Severity, String)]) -> String {
    let mut parts = Vec::new();
    for severity in [Severity::Error, Severity::Warning, Severity::Note] {
        let count = findings.iter().filter(|f| f.0 == severity).count();
        if count > 0 {
            parts.push(format!("{count} {}{}", severity.name(), if count == 1 { "" } else { "s" }));
        }
    }
    if parts.is_empty() { "Nothing is wrong with it.".into() } else { parts.join(", ") + "." }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_the_user_becomes_markup() {
        let evil = "<script>alert('&\"')</script>\u{1}".to_string();
        let page = html_report(
            &evil,
            &[(evil.clone(), evil.clone())],
            &[(Severity::Warning, evil.clone())],
            &[(evil.clone(), vec![1, 2, 3])],
        );
        assert!(!page.contains("<script") && !page.contains("alert('"), "{page}");
        assert_eq!(
            page.matches("&lt;script&gt;").count(),
            7,
            "title twice, fact, value, finding, alt, caption"
        );
        assert!(page.contains("1 warning.") && page.contains("data:image/png;base64,AQID\""));
    }

    #[test]
    fn errors_come_first_and_nothing_is_loaded_from_elsewhere() {
        let findings = [(Severity::Note, "n".to_string()), (Severity::Error, "e".to_string())];
        let page = html_report("t", &[], &findings, &[]);
        assert!(page.find("class=\"error\"") < page.find("class=\"note\""));
        assert!(page.contains("1 error, 1 note."));
        assert!(!page.contains("http"), "no address");
    }
}
