//! Pages: one page from sections, which are words, tables, plots, pictures. It needs no other file, no script and no network, and is
//! light or dark as the reader likes it.

pub mod plot;
pub mod report;
mod scale;

use std::fmt::Write as _;

use crate::{Plot, Severity};

/// A part of a page. Everything is escaped.
#[derive(Clone, Debug, PartialEq)]
pub enum Section {
    /// A headline.
    Heading(String),
    /// A paragraph.
    Text(String),
    /// Names and values.
    Facts(Vec<(String, String)>),
    /// A table: the words above its columns, and its rows. Cells that are numbers stand to the right.
    Table(Vec<String>, Vec<Vec<String>>),
    /// Sentences, each with how much it matters; the graver first.
    Findings(Vec<(Severity, String)>),
    /// A plot and the words below it.
    Plot(Plot, String),
    /// The bytes of a PNG and the words below it.
    Picture(Vec<u8>, String),
    /// Small pictures side by side.
    Gallery(Vec<Card>),
}

/// A picture of a gallery.
#[derive(Clone, Debug, PartialEq)]
pub struct Card {
    /// The bytes of a PNG.
    pub png: Vec<u8>,
    /// Its name: `mode 1`.
    pub title: String,
    /// What is to be known about it: names and values.
    pub facts: Vec<(String, String)>,
}

/// The page as HTML text: a title, a sentence below it (none if empty), and the sections.
///
/// ```
/// use pliant_draw::{Plot, Section, html_page};
/// let plot = Plot::new("Energy").x("time, s").y("energy, J").curve("kinetic", &[[0.0, 1.0], [1.0, 0.5]]);
/// let page = html_page("A run", "240 steps", &[Section::Text("a < b".into()), Section::Plot(plot, String::new())]);
/// assert!(page.contains("a &lt; b") && page.contains("<svg "));
/// ```
pub fn html_page(title: &str, subtitle: &str, sections: &[Section]) -> String {
    let mut page = String::new();
    let title = escaped(title);
    page.push_str("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
    page.push_str("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
    put(
        &mut page,
        format_args!(
            "<title>{title}</title>\n<style>{CSS}</style>\n</head>\n<body>\n<main>\n<h1>{title}</h1>\n"
        ),
    );
    if !subtitle.is_empty() {
        put(&mut page, format_args!("<p class=\"verdict\">{}</p>\n", escaped(subtitle)));
    }
    sections.iter().for_each(|s| section(&mut page, s));
    page.push_str("</main>\n</body>\n</html>\n");
    page
}

fn put(page: &mut String, text: std::fmt::Arguments<'_>) {
    let _ = page.write_fmt(text);
}

fn section(page: &mut String, section: &Section) {
    match section {
        Section::Heading(words) => put(page, format_args!("<h2>{}</h2>\n", escaped(words))),
        Section::Text(words) => put(page, format_args!("<p>{}</p>\n", escaped(words))),
        Section::Facts(facts) => {
            page.push_str("<table>\n");
            for (name, value) in facts {
                put(
                    page,
                    format_args!(
                        "<tr><th scope=\"row\">{}</th><td>{}</td></tr>\n",
                        escaped(name),
                        escaped(value)
                    ),
                );
            }
            page.push_str("</table>\n");
        }
        Section::Table(head, rows) => table(page, head, rows),
        Section::Findings(findings) => {
            page.push_str("<ul class=\"findings\">\n");
            let mut sorted: Vec<&(Severity, String)> = findings.iter().collect();
            // Stable: findings of one kind keep their order.
            sorted.sort_by_key(|f| std::cmp::Reverse(f.0));
            for (severity, sentence) in sorted {
                let name = severity.name();
                put(
                    page,
                    format_args!(
                        "<li class=\"{name}\"><b>{name}</b><span>{}</span></li>\n",
                        escaped(sentence)
                    ),
                );
            }
            page.push_str("</ul>\n");
        }
        Section::Plot(plot, caption) => {
            put(page, format_args!("<figure class=\"plot\">{}", plot.to_svg().trim_end()));
            if !caption.is_empty() {
                put(page, format_args!("<figcaption>{}</figcaption>", escaped(caption)));
            }
            page.push_str("</figure>\n");
        }
        Section::Picture(png, caption) => {
            let caption = escaped(caption);
            page.push_str("<figure>");
            picture(page, png, &caption);
            put(page, format_args!("<figcaption>{caption}</figcaption></figure>\n"));
        }
        Section::Gallery(cards) => {
            page.push_str("<div class=\"gallery\">\n");
            for card in cards {
                let title = escaped(&card.title);
                page.push_str("<figure>");
                picture(page, &card.png, &title);
                put(page, format_args!("<figcaption><b>{title}</b><dl>"));
                for (name, value) in &card.facts {
                    put(page, format_args!("<dt>{}</dt><dd>{}</dd>", escaped(name), escaped(value)));
                }
                page.push_str("</dl></figcaption></figure>\n");
            }
            page.push_str("</div>\n");
        }
    }
}

fn table(page: &mut String, head: &[String], rows: &[Vec<String>]) {
    let class = |cell: &str| {
        let number = cell.trim_start_matches(['-', '−', '+']).starts_with(|c: char| c.is_ascii_digit());
        if number { " class=\"number\"" } else { "" }
    };
    page.push_str("<table class=\"wide\">\n<thead><tr>");
    for (i, name) in head.iter().enumerate() {
        let first = rows.first().and_then(|row| row.get(i)).map_or("", String::as_str);
        put(page, format_args!("<th scope=\"col\"{}>{}</th>", class(first), escaped(name)));
    }
    page.push_str("</tr></thead>\n<tbody>\n");
    for row in rows {
        page.push_str("<tr>");
        for cell in row {
            put(page, format_args!("<td{}>{}</td>", class(cell), escaped(cell)));
        }
        page.push_str("</tr>\n");
    }
    page.push_str("</tbody>\n</table>\n");
}

/// An image whose alternative words are escaped already.
fn picture(page: &mut String, png: &[u8], words: &str) {
    put(page, format_args!("<img alt=\"{words}\" src=\"data:image/png;base64,"));
    base64(page, png);
    page.push_str("\">");
}

/// Words that are no markup.
pub(crate) fn escaped(text: &str) -> String {
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

/// The one style sheet of all pages.
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
.plot svg{display:block;width:100%;height:auto;border:1px solid var(--line);border-radius:.6rem}
@media(prefers-color-scheme:dark){.plot svg{filter:invert(.89) hue-rotate(180deg);border-color:transparent}}
.gallery{display:grid;grid-template-columns:repeat(auto-fill,minmax(17rem,1fr));gap:1.2rem;margin:1.6rem 0}
.gallery figure{margin:0;background:var(--card);border:1px solid var(--line);border-radius:.6rem;overflow:hidden}
.gallery img{border:0;border-radius:0}
.gallery figcaption{margin:0;padding:.7rem .9rem .8rem}
.gallery b{color:var(--ink);font-weight:600}
dl{display:grid;grid-template-columns:auto 1fr;gap:0 1rem;margin:.3rem 0 0}
dd{margin:0;text-align:right;color:var(--ink)}
.wide th{width:auto}.wide thead th{border-bottom-color:var(--quiet)}.wide td,.wide th{padding-right:1.2rem}
.wide .number{text-align:right}
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
    fn every_section_is_there_and_nothing_of_it_is_markup() {
        let evil = || "<script>'&\"".to_string();
        let card = Card { png: vec![1, 2, 3], title: evil(), facts: vec![(evil(), evil())] };
        let page = html_page(
            "t",
            &evil(),
            &[
                Section::Heading(evil()),
                Section::Text(evil()),
                Section::Facts(vec![(evil(), evil())]),
                Section::Table(vec![evil(), "n".into()], vec![vec![evil(), "-1.5".into()]]),
                Section::Findings(vec![(Severity::Note, evil())]),
                Section::Plot(Plot::new(evil()).x(evil()), evil()),
                Section::Picture(vec![4, 5, 6], evil()),
                Section::Gallery(vec![card]),
            ],
        );
        assert!(!page.contains("<script"), "{page}");
        assert!(
            page.contains("<td class=\"number\">-1.5</td>")
                && page.contains("<th scope=\"col\" class=\"number\">n")
        );
        assert!(page.contains("base64,AQID\"") && page.contains("base64,BAUG\"") && page.contains("<svg "));
        for tag in ["table", "figure", "div", "ul", "dl", "main", "figcaption", "tr", "thead"] {
            let (open, close) =
                (page.matches(&format!("<{tag}")).count(), page.matches(&format!("</{tag}>")).count());
            assert_eq!(open, close, "{tag}");
        }
        assert!(!page.contains("<p class=\"verdict\"></p>"));
    }
}
