//! A body that is compared again and again, as on a page: its signature is kept, and a click costs one pass over it.
//!
//! Vertices are those of the surface that is shown ([`ShownSurface`]): of a solid with a surface tied to it S is interpolated from
//! the vertices that carry it, S being linear in |Φ|². Heat flows on the shown surface itself.

use std::ops::Range;

use pliant_energy::{Body, Recipe};
use pliant_linalg::{Progress, Watch};
use pliant_mesh::{MeshData, ShownSurface};
use pliant_sim::SimError;

use crate::compare::PERSISTENCE;
use crate::{Feature, Found, Kind, Request, Signature, Skin, Spectrum, Times, spectrum};

/// The signature of what is shown of a body, at the usual times.
pub struct Kept {
    signature: Signature,
    skin: Skin,
    eigenvalues: Vec<f64>,
    rigid_modes: usize,
}

impl Kept {
    /// Of what `recipe` makes of `mesh`; nothing of it is held unless `pins`. As many modes as `most`, or as there are.
    ///
    /// # Errors
    /// No convergence, a shown surface on which no heat can flow, or the watch asked to stop.
    pub fn new(
        mesh: &MeshData,
        recipe: &Recipe,
        kind: Kind,
        pins: bool,
        most: usize,
        watch: &mut Watch<'_>,
    ) -> Result<Self, SimError> {
        let shown = ShownSurface::of(mesh);
        let spectrum = match kind {
            Kind::Heat => {
                let surface = MeshData::from_faces(shown.rest.clone(), shown.faces.clone());
                Spectrum::heat(&surface, most.min(crate::heat::available(&surface)?), true, watch)?
            }
            Kind::Vibration => {
                let body = free(mesh, recipe, pins)?;
                let available = body.dofs().free().len() - body.rigid_count();
                Spectrum::vibration(&body, most.min(available), false, watch)?
            }
        };
        Progress::stage("signature").tell(watch)?;
        let own = spectrum.signature(&Times::Usual.of(&spectrum)?);
        let signature = if kind == Kind::Heat { own } else { own.carried(&shown) };
        let skin = Skin::new(shown.rest, shown.triangles);
        let (eigenvalues, rigid_modes) = (spectrum.eigenvalues, spectrum.rigid_modes);
        Ok(Self { signature, skin, eigenvalues, rigid_modes })
    }

    /// As [`Kept::new`] by the usual number of modes.
    ///
    /// # Errors
    /// As there.
    pub fn usual(
        mesh: &MeshData,
        recipe: &Recipe,
        kind: Kind,
        pins: bool,
        watch: &mut Watch<'_>,
    ) -> Result<Self, SimError> {
        Self::new(mesh, recipe, kind, pins, spectrum::MODES, watch)
    }

    /// λ of the modes that are there.
    pub fn eigenvalues(&self) -> &[f64] {
        &self.eigenvalues
    }

    /// S at the shown vertices.
    pub fn signature(&self) -> &Signature {
        &self.signature
    }

    /// The distance of every shown vertex to shown vertex `p` over some of the times, and the largest of them.
    ///
    /// # Errors
    /// A vertex that is not there, or no times.
    pub fn distance(&self, p: u32, times: Range<usize>) -> Result<(Vec<f64>, f64), SimError> {
        let times = self.checked(times)?;
        let distance = self.signature.distance_between(&[p], times)?;
        let seen = (0..).zip(&distance).filter(|(v, d)| self.skin.has(*v) && d.is_finite());
        let high = seen.fold(0.0, |most: f64, (_, d)| most.max(*d));
        Ok((distance, high))
    }

    /// S of shown vertex `p` as a share of Σ exp(−λt), time by time: what distances compare.
    ///
    /// # Errors
    /// A vertex that is not there.
    pub fn curve(&self, p: u32) -> Result<Vec<f64>, SimError> {
        crate::distance::check_vertices(&[p], self.signature.vertices(), &[])?;
        Ok(self.signature.of_vertex(p).iter().zip(&self.signature.l1).map(|(s, l1)| s / l1).collect())
    }

    /// Feature points of the shown surface.
    ///
    /// # Errors
    /// The watch asked to stop.
    pub fn features(&self, watch: &mut Watch<'_>) -> Result<Vec<Feature>, SimError> {
        Ok(self.signature.features(&self.skin, PERSISTENCE, watch)?)
    }

    /// All of it from shown vertex `p`, to be written as a file.
    ///
    /// # Errors
    /// As [`Kept::distance`].
    pub fn found(&self, p: u32, times: Range<usize>) -> Result<Found, SimError> {
        let range = self.checked(times)?;
        let (distance, _) = self.distance(p, range.clone())?;
        let request = Request { kind: self.signature.kind, from: vec![p], ..Request::default() };
        let signature = self.signature.between(range);
        let found = Found::nothing(&request, self.skin.clone());
        Ok(Found {
            eigenvalues: self.eigenvalues.clone(),
            rigid_modes: self.rigid_modes,
            times: signature.times.clone(),
            l1: signature.l1.clone(),
            distance: Some(distance),
            signature: Some(signature),
            ..found
        })
    }

    fn checked(&self, times: Range<usize>) -> Result<Range<usize>, SimError> {
        let count = self.signature.times.len();
        if times.start < times.end && times.end <= count {
            return Ok(times);
        }
        let sentence = format!("times {} to {}: there are {count}, counted from 0", times.start, times.end);
        Err(crate::terms::refused(sentence, &[crate::terms::TIMES]))
    }
}

/// A byte for each number: 0 is 0, 255 is `high`; what is none is as far as can be.
pub fn bytes(numbers: &[f64], high: f64) -> Vec<u8> {
    let scale = if high > 0.0 { 255.0 / high } else { 0.0 };
    let byte = |x: &f64| if x.is_finite() { (x * scale).round().clamp(0.0, 255.0) as u8 } else { 255 };
    numbers.iter().map(byte).collect()
}

/// The body, held or free, its mass lumped.
fn free(mesh: &MeshData, recipe: &Recipe, pins: bool) -> Result<Body, SimError> {
    let mut recipe = recipe.clone();
    recipe.mass = Some(pliant_energy::MassKind::Lumped);
    if !pins {
        recipe.fixed.clear();
    }
    Ok(recipe.build(mesh.clone())?)
}

impl Signature {
    /// Some of the times alone.
    pub(crate) fn between(&self, range: Range<usize>) -> Self {
        Self {
            times: self.times[range.clone()].to_vec(),
            l1: self.l1[range.clone()].to_vec(),
            values: self.values[range.start * self.vertices..range.end * self.vertices].to_vec(),
            massless: self.massless.clone(),
            ..*self
        }
    }

    /// S of the points of a surface, from the vertices that carry them.
    fn carried(&self, shown: &ShownSurface) -> Self {
        let points = shown.rest.len();
        let carriers: Vec<Vec<(u32, f64)>> = (0..points).map(|p| shown.carriers.row(p).collect()).collect();
        let at = |values: &[f64], row: &Vec<(u32, f64)>| -> f64 {
            // What lies outside of its tet extrapolates; S is never below zero.
            row.iter().map(|(v, w)| w * values[*v as usize]).sum::<f64>().max(0.0)
        };
        let values = (0..self.times.len())
            .flat_map(|i| carriers.iter().map(move |row| (i, row)))
            .map(|(i, row)| at(self.at_time(i), row))
            .collect();
        let none = |row: &Vec<(u32, f64)>| row.iter().all(|(v, _)| self.massless.binary_search(v).is_ok());
        let massless = (0..).zip(&carriers).filter(|(_, row)| none(row)).map(|(p, _)| p).collect();
        Self { times: self.times.clone(), l1: self.l1.clone(), values, vertices: points, massless, ..*self }
    }
}
