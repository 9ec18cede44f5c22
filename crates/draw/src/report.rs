//! One page with everything: facts, findings, pictures. It needs no other file, no script and no network.

use std::fmt::Write;

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
    let mut page = String::new();
    let title = escaped(title);
    put(&mut page, &format!("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"));
    put(&mut page, "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
    put(
        &mut page,
        &format!("<title>{title}</title>\n<style>{CSS}</style>\n</head>\n<body>\n<main>\n<h1>{title}</h1>\n"),
    );
    put(&mut page, &format!("<p class=\"verdict\">{}</p>\n", verdict(findings)));
    let (first, others) = pictures.split_at(pictures.len().min(1));
    first.iter().for_each(|p| figure(&mut page, p));
    if !findings.is_empty() {
        put(&mut page, "<h2>Findings</h2>\n<ul class=\"findings\">\n");
        let mut sorted: Vec<&(Severity, String)> = findings.iter().collect();
        // Stable: findings of one kind keep their order.
        sorted.sort_by_key(|f| std::cmp::Reverse(f.0));
        for (severity, sentence) in sorted {
            let name = severity.name();
            put(
                &mut page,
                &format!("<li class=\"{name}\"><b>{name}</b><span>{}</span></li>\n", escaped(sentence)),
            );
        }
        put(&mut page, "</ul>\n");
    }
    if !facts.is_empty() {
        put(&mut page, "<h2>Facts</h2>\n<table>\n");
        for (name, value) in facts {
            put(
                &mut page,
                &format!("<tr><th scope=\"row\">{}</th><td>{}</td></tr>\n", escaped(name), escaped(value)),
            );
        }
        put(&mut page, "</table>\n");
    }
    others.iter().for_each(|p| figure(&mut page, p));
    put(&mut page, "</main>\n</body>\n</html>\n");
    page
}

fn put(page: &mut String, text: &str) {
    page.push_str(text);
}

fn figure(page: &mut String, (caption, png): &(String, Vec<u8>)) {
    let caption = escaped(caption);
    put(page, &format!("<figure><img alt=\"{caption}\" src=\"data:image/png;base64,"));
    base64(page, png);
    put(page, &format!("\"><figcaption>{caption}</figcaption></figure>\n"));
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

fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            // Control characters have no place in HTML text.
            c if c.is_control() && c != '\n' && c != '\t' => {
                let _ = write!(safe, "\\u{{{:x}}}", u32::from(c));
            }
            c => safe.push(c),
        }
    }
    safe
}

/// RFC 4648, with padding.
fn base64(text: &mut String, bytes: &[u8]) {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    text.reserve(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let at = |i: usize| u32::from(group.get(i).copied().unwrap_or(0));
        let bits = at(0) << 16 | at(1) << 8 | at(2);
        for digit in 0..4 {
            text.push(match digit <= group.len() {
                true => DIGITS[(bits >> (18 - 6 * digit) & 63) as usize] as char,
                false => '=',
            });
        }
    }
}

const CSS: &str = "
:root{color-scheme:light dark;--paper:#fbfcfd;--ink:#222c36;--quiet:#667382;--line:#dfe4e9;--card:#fff;\
--note:#0072b2;--warning:#b35900;--error:#b3261e}
@media(prefers-color-scheme:dark){:root{--paper:#14181c;--ink:#dde3e8;--quiet:#93a0ad;--line:#2b333b;--card:#1b2025;\
--note:#6cb8e6;--warning:#f0a04b;--error:#f2827a}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);\
font:16px/1.6 system-ui,-apple-system,'Segoe UI',Roboto,'Noto Sans',sans-serif;font-variant-numeric:tabular-nums}
main{max-width:62rem;margin:0 auto;padding:3.5rem 1.5rem 5rem}
h1{font-size:1.9rem;line-height:1.2;font-weight:650;letter-spacing:-.015em;margin:0;overflow-wrap:anywhere}
h2{font-size:1.05rem;font-weight:650;margin:2.6rem 0 .8rem}
.verdict{color:var(--quiet);margin:.4rem 0 2rem}
figure{margin:1.6rem 0}
img{display:block;width:100%;height:auto;border:1px solid var(--line);border-radius:.6rem}
@media(prefers-color-scheme:dark){img{filter:brightness(.92)}}
figcaption{color:var(--quiet);font-size:.9rem;margin-top:.6rem}
table{border-collapse:collapse;width:100%}
th,td{text-align:left;vertical-align:top;padding:.45rem 0;border-bottom:1px solid var(--line);overflow-wrap:anywhere}
th{font-weight:400;color:var(--quiet);width:34%;padding-right:1.5rem}
.findings{list-style:none;margin:0;padding:0}
.findings li{display:flex;gap:1rem;padding:.6rem .9rem;margin:.4rem 0;background:var(--card);\
border:1px solid var(--line);border-left:.25rem solid var(--note);border-radius:.4rem}
.findings li>b{flex:0 0 4.6rem;font-weight:600;color:var(--note)}
.findings li>span{overflow-wrap:anywhere;min-width:0}
.findings .warning{border-left-color:var(--warning)}.findings .warning>b{color:var(--warning)}
.findings .error{border-left-color:var(--error)}.findings .error>b{color:var(--error)}
@media print{body{background:#fff}figure,li{break-inside:avoid}}
";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_as_in_the_rfc() {
        for (bytes, text) in
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")]
        {
            let mut got = String::new();
            base64(&mut got, bytes.as_bytes());
            assert_eq!(got, text);
        }
    }

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
