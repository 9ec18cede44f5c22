//! `.csv` for spreadsheets: a line of names, then the time and the value of every series for each frame.
//!
//! Numbers have the digits that give back the same `f64`. Fields are separated by commas, lines by CR LF, names with
//! commas or quotes are quoted. Source: RFC 4180.

use std::path::Path;

use pliant_linalg::Watch;

use super::{Motion, MotionFormat, Series};
use crate::io::write_whole;
use crate::{MeshError, Result};

pub(super) static FORMAT: MotionFormat = MotionFormat { title: "table", extension: "csv", write };

fn write(path: &Path, motion: &Motion<'_>, _: &mut Watch<'_>) -> Result<Vec<String>> {
    let mut columns = vec![Series { name: "time".into(), values: motion.times }];
    columns.extend_from_slice(motion.series);
    write_whole(&[(path.to_owned(), table(&columns)?.into_bytes())])?;
    Ok(Vec::new())
}

/// Columns of numbers under their names, as the text of a `.csv` file.
///
/// ```
/// use pliant_mesh::io::motion::{Series, table};
/// let columns = [Series { name: "a, b".into(), values: &[0.1, 2.0] }, Series { name: "c".into(), values: &[1e-9, 0.0] }];
/// assert_eq!(table(&columns).unwrap(), "\"a, b\",c\r\n0.1,1e-9\r\n2.0,0.0\r\n");
/// ```
///
/// # Errors
/// When the columns have different lengths.
pub fn table(columns: &[Series<'_>]) -> Result<String> {
    use std::fmt::Write as _;
    let rows = columns.first().map_or(0, |c| c.values.len());
    if let Some(other) = columns.iter().find(|c| c.values.len() != rows) {
        return Err(MeshError::Inconsistent(format!(
            "column {} has {} rows, but {} has {rows}; expected as many",
            pliant_linalg::quote(&other.name),
            other.values.len(),
            pliant_linalg::quote(&columns[0].name)
        )));
    }
    let mut text = columns.iter().map(|c| quoted(&c.name)).collect::<Vec<_>>().join(",");
    text.push_str("\r\n");
    for row in 0..rows {
        for (i, column) in columns.iter().enumerate() {
            let _ = write!(text, "{}{:?}", if i == 0 { "" } else { "," }, column.values[row]);
        }
        text.push_str("\r\n");
    }
    Ok(text)
}

fn quoted(name: &str) -> String {
    if name.contains([',', '"', '\r', '\n']) {
        format!("\"{}\"", name.replace('"', "\"\""))
    } else {
        name.to_owned()
    }
}
