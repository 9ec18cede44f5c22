//! A shape that was found, as a file: the mesh where it has moved to, a picture of it, a page.

use std::path::Path;

use pliant_draw::{Card, Deformed, Image, Options, Plot, Section, Severity, deformed_picture, html_page};
use pliant_linalg::facts::Facts;
use pliant_linalg::shown;
use pliant_mesh::{MeshData, MeshError, ShownSurface, io};
use pliant_reduce::ReduceError;
use pliant_sim::SimError;

use crate::Edited;
use crate::terms::refused;

fn ending(path: &Path) -> String {
    path.extension().and_then(|e| e.to_str()).unwrap_or("").to_lowercase()
}

/// Whether a shape can be written under this name.
///
/// # Errors
/// Another ending than .html, .png, or that of a format of meshes.
pub fn check_ending(path: &Path) -> Result<(), SimError> {
    if matches!(&*ending(path), "html" | "png") || io::format_of(path).is_ok() {
        return Ok(());
    }
    let sentence = format!(
        "{}: expected an ending of .html, .png, or of a format of meshes (.obj, .ply, .glb, …)",
        shown(path)
    );
    Err(refused(sentence, &[]))
}

/// A mesh, moved by u, 3n entries, m; an embedded surface goes along.
pub(crate) fn moved(rest: &MeshData, displacement: &[f64]) -> MeshData {
    let mut mesh = rest.clone();
    for (x, u) in mesh.vertices.iter_mut().zip(displacement.as_chunks::<3>().0) {
        (0..3).for_each(|c| x[c] += u[c]);
    }
    if let Some(embedded) = &mut mesh.attributes.embedded {
        let all = ShownSurface::of(rest).displacement(displacement);
        embedded.vertices.iter_mut().zip(all).for_each(|(x, u)| *x += u);
    }
    mesh
}

impl Edited {
    /// The mesh where it has moved to; an embedded surface goes along.
    pub fn mesh(&self, rest: &MeshData) -> MeshData {
        moved(rest, &self.displacement)
    }

    /// Writes it by the ending of the name, whole or not at all; what the format cannot hold is in the sentences that come back.
    ///
    /// # Errors
    /// A name with another ending, or a disk that refuses.
    pub fn save(
        &self,
        path: &Path,
        title: &str,
        rest: &MeshData,
        facts: &Facts,
        warnings: &[String],
    ) -> Result<Vec<String>, SimError> {
        check_ending(path)?;
        let of = |error: MeshError| SimError::from(ReduceError::from(error));
        let bytes = match &*ending(path) {
            "png" => self.picture(rest, title).to_png(),
            "html" => self.page(rest, title, facts, warnings).into_bytes(),
            _ => return io::save(path, &self.mesh(rest), None).map_err(of),
        };
        io::write_whole(&[(path.to_owned(), bytes)]).map_err(of)?;
        Ok(Vec::new())
    }

    fn view(&self, rest: &MeshData, title: &str, azimuth: f64) -> Image {
        let deformed =
            Deformed { displacement: &self.displacement, times: 1.0, label: "displacement, m".into() };
        let usual = Options::titled(title);
        deformed_picture(rest, &deformed, &Options { azimuth, edges: false, ..usual })
    }

    /// The shape, coloured by how far it has moved, with the outline of rest.
    pub fn picture(&self, rest: &MeshData, title: &str) -> Image {
        self.view(rest, title, 30.0)
    }

    fn page(&self, rest: &MeshData, title: &str, facts: &Facts, warnings: &[String]) -> String {
        let mut sections = Vec::new();
        if !warnings.is_empty() {
            let all = warnings.iter().map(|w| (Severity::Warning, w.clone())).collect();
            sections.push(Section::Findings(all));
        }
        let card = |azimuth: f64, side: &str| Card {
            png: self.view(rest, "", azimuth).to_png(),
            title: side.into(),
            facts: Vec::new(),
        };
        sections.push(Section::Gallery(vec![card(30.0, "front"), card(210.0, "behind")]));
        sections.push(Section::Facts(facts.rows()));
        let points: Vec<[f64; 2]> = (0_u32..).zip(&self.energies).map(|(k, E)| [f64::from(k), *E]).collect();
        if points.len() > 1 && points.iter().all(|p| p[1].is_finite()) {
            let plot =
                Plot::new("").x("iteration of the last step").y("energy, J").curve(self.solver, &points);
            sections.push(Section::Heading("Energy".into()));
            sections.push(Section::Plot(plot, String::new()));
        }
        let subtitle = format!("{} handles, {} iterations", self.handles.len(), self.iterations);
        html_page(&format!("{title}, edited"), &subtitle, &sections)
    }
}
