//! The section 'The studio' of `cargo xtask bench`: how soon there is something to see, and fifty clients on one body.
//!
//! `doors/studio/tests/page/bench.mjs` measures; here it becomes a table.

use std::fmt::Write as _;

use anyhow::Context as _;
use serde_json::Value;

use crate::{studio, tools};

/// From the command to the first picture, s.
const FIRST_FRAME: f64 = 2.0;
/// The same, without a cache, to anything, s.
const COLD: f64 = 1.5;
/// From dropping a surface of 20 000 triangles to a body that moves, and to the finished one, s.
const DROPPED: f64 = 5.0;
const FINISHED: f64 = 15.0;
/// Of a core while nothing moves, %.
const RESTING: f64 = 1.0;
/// Steps in a thousand that may begin more than a frame late.
const LATE: f64 = 1.0;
/// States a second that each client is to receive.
const RATE: f64 = 60.0;

/// `cargo xtask bench studio`: this section alone, written into `docs/benchmarks.md`.
pub(crate) fn run() -> anyhow::Result<bool> {
    crate::bench::replace_section(&section()?)
}

pub(crate) fn section() -> anyhow::Result<String> {
    let said = tools::output(studio::node(&tools::pliant()?)?.arg("bench.mjs"))?;
    let measured: Value = serde_json::from_str(said.trim())?;
    page(&measured)
}

fn page(measured: &Value) -> anyhow::Result<String> {
    let number = |path: &str| measured.pointer(path).and_then(Value::as_f64).with_context(|| path.to_owned());
    let (clients, seconds) = (number("/load/clients")?, number("/load/seconds")?);
    let mut page = format!(
        "## The studio\n\nThe release binary and headless Chromium (software WebGL2) on the same {} cores. First picture: the \
         median of five starts, cache warm, the browser open already. Load: {clients:.0} WebSocket clients, in one Node process, on one \
         body that is pulled about, for {seconds:.0} s.\n\n| what | value | aim |\n|---|---|---|\n",
        number("/cores")?
    );
    let mut row = |what: &str, value: String, aim: String| {
        let _ = writeln!(page, "| {what} | {value} | {aim} |");
    };
    row(
        "from `pliant studio` to the first drawn frame",
        format!("{:.2} s", number("/times/first_frame_s")?),
        format!("< {FIRST_FRAME} s"),
    );
    row("of that, until it listens", format!("{:.2} s", number("/times/listening_s")?), String::new());
    row(
        "the same without a cache: until the coarse dinosaur is seen",
        format!("{:.2} s", number("/cold/shape_s")?),
        format!("< {COLD} s"),
    );
    row("until it can be pulled", format!("{:.2} s", number("/cold/body_s")?), String::new());
    row(
        &format!(
            "from dropping {:.0} triangles to a live body of {:.0} tets, of linear modes",
            number("/dropping/dropped")?,
            number("/dropping/elements")?
        ),
        format!("{:.1} s", number("/dropping/seconds")?),
        format!("< {DROPPED} s"),
    );
    row(
        &format!("to the finished one in its place, r = {:.0}", number("/dropping/rank")?),
        format!("{:.1} s", number("/dropping/finished_s")?),
        format!("< {FINISHED} s"),
    );
    row(
        "the longest time without news of its progress",
        format!("{:.2} s", number("/dropping/silence_s")?),
        String::new(),
    );
    row(
        "a body at rest, a page that looks on: of a core",
        format!("{:.2} %", 100.0 * number("/resting/part")?),
        format!("< {RESTING} %"),
    );
    row(
        "states a second, the client that got fewest; the median",
        format!("{:.1}; {:.1}", number("/load/least_rate")?, number("/load/median_rate")?),
        format!("{RATE}"),
    );
    row(
        "states that were skipped for a client, of all",
        format!("{:.0} of {:.0}", number("/load/missed")?, number("/load/frames")?),
        String::new(),
    );
    let (steps, late) = (number("/load/steps")?, number("/load/late")?);
    row(
        "steps that began more than a frame late",
        format!("{late:.0} of {steps:.0} ({:.2} in a thousand)", 1000.0 * late / steps.max(1.0)),
        format!("<= {LATE} in a thousand"),
    );
    row(
        "body seconds for each second of the clock",
        format!("{:.3}", number("/load/real_time")?),
        "1".to_owned(),
    );
    let (bytes, vertices) = (number("/load/bytes_per_second")?, number("/load/vertex_bytes_per_second")?);
    row(
        &format!("kB a second for each client, r = {:.0}", number("/load/rank")?),
        format!("{:.1}", bytes / 1000.0),
        String::new(),
    );
    row(
        &format!(
            "kB a second that its {:.0} vertices would take (12 bytes each)",
            number("/load/surface_vertices")?
        ),
        format!("{:.0} ({:.0} times as much)", vertices / 1000.0, vertices / bytes),
        String::new(),
    );
    Ok(page)
}

#[cfg(test)]
mod tests {
    #[test]
    fn measurements_become_a_table() {
        let measured = serde_json::json!({
            "cores": 2,
            "times": { "first_frame_s": 1.25, "listening_s": 0.5 },
            "resting": { "part": 0.001 },
            "cold": { "shape_s": 1.2, "body_s": 3.5 },
            "dropping": { "dropped": 20480, "elements": 9000, "rank": 40, "seconds": 1.5, "finished_s": 8.0, "silence_s": 0.4 },
            "load": {
                "clients": 50, "seconds": 60.0, "least_rate": 59.9, "median_rate": 60.0, "missed": 3, "frames": 180_000,
                "steps": 14_400, "late": 7, "real_time": 0.999, "rank": 40, "bytes_per_second": 13_000.0,
                "surface_vertices": 5000, "vertex_bytes_per_second": 3.6e6
            }
        });
        let page = super::page(&measured).expect("all numbers are there");
        assert!(page.contains("| 7 of 14400 (0.49 in a thousand) |"), "{page}");
        assert!(page.contains("| 3600 (277 times as much) |"), "{page}");
        assert!(page.contains("| to the finished one in its place, r = 40 | 8.0 s | < 15 s |"), "{page}");
        assert!(super::page(&serde_json::json!({})).is_err());
    }
}
