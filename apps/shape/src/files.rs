//! What was found, as files: arrays, tables, painted surfaces, a picture, a page.

use std::path::Path;

use pliant_draw::{Colour, ColourMap, palette};
use pliant_linalg::facts::Facts;
use pliant_linalg::{Watch, quote};
use pliant_mesh::io;
use pliant_mesh::io::arrays::{NpzWriter, Numbers};
use pliant_mesh::io::painted::Painted;
use pliant_mesh::{MeshError, Result};
use pliant_reduce::ReduceError;
use pliant_sim::SimError;

use crate::terms::{FROM, refused};
use crate::{Found, page};

/// Endings, as a refusal lists them.
const KNOWN: &str = ".ply .glb .npz .csv .html .png";

/// Whether what was found can be written under this name; `exact` is without a signature of all vertices.
///
/// # Errors
/// Another ending, or a painted surface of a few vertices.
pub fn check_ending(path: &Path, exact: bool) -> std::result::Result<(), SimError> {
    let ending = ending(path);
    if !KNOWN.split(' ').any(|known| known[1..] == ending) {
        let error = MeshError::UnknownFormat { path: path.to_owned(), ending, known: KNOWN.into() };
        return Err(ReduceError::from(error).into());
    }
    if exact && matches!(&*ending, "ply" | "glb" | "png") {
        let sentence = format!(
            "a few vertices are no surface to be painted as {}; write a .csv, .npz or .html",
            quote(&ending)
        );
        return Err(refused(sentence, &[crate::terms::EXACT]));
    }
    Ok(())
}

pub(crate) fn ending(path: &Path) -> String {
    path.extension().and_then(|e| e.to_str()).unwrap_or("").to_lowercase()
}

impl Found {
    /// Writes it by the ending of the name, whole or not at all: `.npz` arrays, `.csv` the curves of the chosen vertices, `.ply`
    /// and `.glb` the painted surface, `.png` a picture, `.html` a page with `facts` and `warnings`.
    ///
    /// # Errors
    /// A name with another ending, a disk that refuses, or the watch asked to stop.
    pub fn save(
        &self,
        path: &Path,
        title: &str,
        facts: &Facts,
        warnings: &[String],
        watch: &mut Watch<'_>,
    ) -> std::result::Result<(), SimError> {
        let bytes = self.encode(path, title, facts, warnings, watch)?;
        Ok(io::write_whole(&[(path.to_owned(), bytes)]).map_err(ReduceError::from)?)
    }

    /// The same in memory, by the ending of `name`.
    ///
    /// # Errors
    /// As [`Found::save`], but for the disk.
    pub fn encode(
        &self,
        name: &Path,
        title: &str,
        facts: &Facts,
        warnings: &[String],
        watch: &mut Watch<'_>,
    ) -> std::result::Result<Vec<u8>, SimError> {
        check_ending(name, self.signature.is_none())?;
        Ok(match &*ending(name) {
            "npz" => self.npz().map_err(ReduceError::from)?,
            "csv" => self.csv()?.into_bytes(),
            "ply" => self.painted(|surface| surface.to_ply())?,
            "glb" => self.painted(|surface| surface.to_glb())?,
            "png" => page::picture(self, title).to_png(),
            _ => page::page(self, title, facts, warnings, watch)?.into_bytes(),
        })
    }

    fn npz(&self) -> Result<Vec<u8>> {
        io::in_memory(|out| {
            let mut npz = NpzWriter::new(out);
            npz.array("t", &[self.times.len()], Numbers::Reals(&self.times))?;
            let told = self.told_of(&self.request.at);
            let rows = self.signature.as_ref().map_or(told.len(), |s| s.vertices());
            let mut matrix = npz.reals("signature", &[rows, self.times.len()])?;
            for v in 0..rows {
                match &self.signature {
                    Some(signature) => matrix.push(&signature.of_vertex(v as u32))?,
                    None => matrix.push(&told[v])?,
                }
            }
            matrix.finish()?;
            if let Some(distance) = &self.distance {
                npz.array("distance", &[distance.len()], Numbers::Reals(distance))?;
            }
            npz.array("eigenvalues", &[self.eigenvalues.len()], Numbers::Reals(&self.eigenvalues))?;
            if self.signature.is_none() {
                let at: Vec<i64> = self.request.at.iter().map(|&v| v.into()).collect();
                npz.array("vertices", &[at.len()], Numbers::Integers(&at))?;
            }
            npz.finish()
        })
    }

    /// A row for each time: t, Σ exp(−λt), S of the chosen vertices.
    fn csv(&self) -> std::result::Result<String, SimError> {
        let vertices = self.vertices();
        if vertices.is_empty() {
            let sentence = "a table of curves needs vertices; name some to look at, or to measure from";
            return Err(refused(sentence, &[crate::terms::AT, FROM]));
        }
        let told = self.told_of(&vertices);
        let mut text = String::from("t,l1");
        vertices.iter().for_each(|v| text += &format!(",{v}"));
        text.push('\n');
        for (i, t) in self.times.iter().enumerate() {
            let l1 = self.l1.get(i).map_or_else(String::new, |x| x.to_string());
            text += &format!("{t},{l1}");
            told.iter().for_each(|s| text += &format!(",{}", s[i]));
            text.push('\n');
        }
        Ok(text)
    }

    fn painted(
        &self,
        write: impl Fn(&Painted<'_>) -> Result<Vec<u8>>,
    ) -> std::result::Result<Vec<u8>, SimError> {
        let shown = self.shown_vertices();
        let mut number = vec![0; self.skin.rest.len()];
        (0_u32..).zip(&shown).for_each(|(p, &v)| number[v as usize] = p);
        let (name, field) = self.field();
        let colours = colours(&field.values, field.range, field.map);
        let at = |v: &u32| *v as usize;
        let vertices: Vec<_> = shown.iter().map(|v| self.skin.rest[at(v)]).collect();
        let triangles: Vec<_> = self.skin.triangles.iter().map(|t| t.map(|v| number[v as usize])).collect();
        let colours: Vec<_> = shown.iter().map(|v| colours[at(v)]).collect();
        let numbers: Vec<_> = shown.iter().map(|v| field.values[at(v)]).collect();
        let painted = Painted {
            vertices: &vertices,
            triangles: &triangles,
            colours: &colours,
            name,
            numbers: &numbers,
        };
        Ok(write(&painted).map_err(ReduceError::from)?)
    }

    /// Of a surface all vertices, so that numbers stay; of a solid those of its boundary.
    fn shown_vertices(&self) -> Vec<u32> {
        let all = 0..self.skin.rest.len() as u32;
        let inside = self.signature.as_ref().map_or(0, |s| s.massless.len());
        let on = all.clone().filter(|&v| self.skin.has(v)).count();
        if on + inside >= self.skin.rest.len() {
            all.collect()
        } else {
            all.filter(|&v| self.skin.has(v)).collect()
        }
    }
}

/// sRGB of numbers in a range; those that are none are grey.
pub(crate) fn colours(values: &[f64], range: [f64; 2], map: ColourMap) -> Vec<[u8; 3]> {
    let [low, high] = range;
    let span = if high > low { high - low } else { 1.0 };
    let of = |x: &f64| {
        let Colour { r, g, b } = if x.is_finite() { map.at((x - low) / span) } else { palette::PALE };
        [r, g, b]
    };
    values.iter().map(of).collect()
}
