//! Models made of models, without a mesh being touched: of fewer coordinates, and of stiffer or heavier matter.
//!
//! ```text
//! truncated:  U → its first k columns;  M̃, K̃, p, W̃ → their leading parts: W̃ₖ(q) = W̃(q, 0)
//! rescaled:   W̃ → s W̃,  M̃ → d M̃,  λ → λ s/d,  U as it is, so that q means what it meant
//! ```
//! A cubature with a rest correction keeps the leading part of that, which alone the columns that are left can say.

use std::sync::Arc;

use pliant_linalg::{DenseSymmetric, Modes};

use super::check::check_numbers;
use super::{Facts, Model, ModelParts};
use crate::ReduceError;
use crate::force::Scaled;

impl Model {
    /// The model in its first `count` coordinates alone: it moves as this one does whose other coordinates are held at zero.
    /// A polynomial keeps the terms of these coordinates; a cubature keeps its points and weights, and forgets how well it
    /// was trained, which was measured in all coordinates.
    ///
    /// # Errors
    /// [`ReduceError::Coordinates`] unless 1 ≤ `count` ≤ r.
    pub fn truncated(&self, count: usize) -> Result<Self, ReduceError> {
        let rank = self.rank();
        if !(1..=rank).contains(&count) {
            return Err(ReduceError::Coordinates { asked: count, rank });
        }
        if count == rank {
            return Ok(self.clone());
        }
        let leading = |matrix: &DenseSymmetric| DenseSymmetric::from_upper(count, |i, j| matrix.get(i, j));
        let facts = self.facts();
        Self::new(ModelParts {
            mesh: self.mesh().clone(),
            recipe: self.recipe().clone(),
            basis: self.basis().first(count),
            mass: leading(self.reduced_mass()),
            stiffness: leading(self.reduced_stiffness()),
            gravity: self.gravity().each_ref().map(|along| along[..count].to_vec()),
            force: self.force().truncated(count).unwrap_or_else(|| self.parts.force.clone()),
            facts: Facts { affine: facts.affine.min(count), training: None, pull: None, ..facts.clone() },
            sections: self.parts.sections.clone(),
        })
    }

    /// The model of the same body with `stiffness` times its Young's modulus (or the stiffnesses of its surface) and
    /// `density` times its density: recipe and materials state the new constants, and all numbers agree with them. The
    /// basis stays as it is, so that UᵀMU is `density` times what it was. No energy is made anew.
    ///
    /// # Errors
    /// As [`pliant_energy::Recipe::rescaled`]: factors that are not finite numbers > 0, or too large or small for the
    /// numbers of the model. Every law can be rescaled.
    pub fn rescaled(&self, stiffness: f64, density: f64) -> Result<Self, ReduceError> {
        let (recipe, mesh) = self.recipe().rescaled(self.mesh(), stiffness, density)?;
        let times = |factor: f64, x: &[f64]| -> Vec<f64> { x.iter().map(|x| factor * x).collect() };
        let matrix = |factor: f64, matrix: &DenseSymmetric| {
            DenseSymmetric::from_upper(matrix.size(), |i, j| factor * matrix.get(i, j))
        };
        let eigenvalues = times(stiffness / density, &self.facts().eigenvalues);
        let parts = ModelParts {
            mesh,
            recipe,
            basis: self.basis().clone(),
            mass: matrix(density, self.reduced_mass()),
            stiffness: matrix(stiffness, self.reduced_stiffness()),
            gravity: self.gravity().each_ref().map(|along| times(density, along)),
            force: self.force().rescaled(stiffness).unwrap_or_else(|| self.parts.force.clone()),
            facts: Facts { eigenvalues, ..self.facts().clone() },
            sections: self.parts.sections.clone(),
        };
        check_numbers(&parts).map_err(|sentence| {
            ReduceError::request(format!(
                "with {stiffness} times its stiffness and {density} times its density the numbers of this model \
                 cannot be held: {sentence}; use factors nearer to 1"
            ))
        })?;
        let model = Self::with_evaluator(parts, Arc::new(Scaled::new(self.evaluator(), stiffness)))?;
        // Warping is geometry: of the same basis it is the same.
        match self.warp_numbers() {
            Ok(Some(numbers)) => model.with_warp(&numbers),
            _ => Ok(model),
        }
    }

    /// Small vibrations in the coordinates of the model: K̃ φ = λ M̃ φ; of a free body its rigid motions first, with λ = 0.
    ///
    /// # Errors
    /// [`ReduceError::NoNaturalModes`] when the reduced mass is not positive definite, or an entry is not finite.
    pub fn natural_modes(&self) -> Result<Modes, ReduceError> {
        Modes::of(self.reduced_stiffness(), self.reduced_mass()).ok_or(ReduceError::NoNaturalModes)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::Precompute;
    use crate::force::{Cubature, Settings};
    use pliant_energy::{Recipe, Tangent};
    use pliant_linalg::{Vec3, ignore_progress};
    use pliant_mesh::{MeshData, select, shapes};

    fn made(forces: &str, material: &str, fix: &str) -> Model {
        let bar = shapes::bar(Vec3::new(0.4, 0.1, 0.1), [3, 1, 1]).into_data();
        let fixed = vec![select::select(&bar, fix).expect("a selection")];
        let recipe = Recipe { material: Some(material.into()), fixed, ..Recipe::default() };
        build(bar, recipe, forces)
    }

    fn build(mesh: MeshData, recipe: Recipe, forces: &str) -> Model {
        let usual = Settings { poses: 20, ..Settings::default() };
        let precompute =
            Precompute { modes: Some(4), forces: Some(forces.into()), usual, ..Precompute::default() };
        precompute.build(mesh, recipe, &mut ignore_progress).expect("a model").model
    }

    const KINDS: [(&str, &str); 5] = [
        ("linear", "stvk"),
        ("cubic", "stvk"),
        ("cubature", "stable-neo-hookean"),
        ("projected", "neo-hookean"),
        ("ghost", "stable-neo-hookean"),
    ];

    /// Energy, force and stiffness at q.
    fn at(model: &Model, q: &[f64]) -> (f64, Vec<f64>, DenseSymmetric) {
        let r = q.len();
        let mut force = model.evaluator();
        let (mut f, mut K) = (vec![0.0; r], DenseSymmetric::zeros(r));
        let W = force.energy(q).expect("admitted");
        force.force(q, &mut f).expect("admitted");
        force.stiffness(q, Tangent::Exact, &mut K).expect("admitted");
        (W, f, K)
    }

    fn pose(r: usize) -> Vec<f64> {
        (0..r).map(|k| 2e-3 * ((3 * k + 1) as f64).sin()).collect()
    }

    #[track_caller]
    fn near(what: &str, x: f64, y: f64, size: f64) {
        assert!((x - y).abs() <= 1e-11 * size.abs(), "{what}: {x:e} instead of {y:e}");
    }

    #[test]
    fn fewer_coordinates_are_all_of_them_with_the_others_at_zero() {
        for (forces, material) in KINDS {
            let mut parts = made(forces, material, "x<0%").into_parts();
            if let Some(cubature) = parts.force.downcast_ref::<Cubature>() {
                parts.force = Arc::new(Cubature { correction: None, ..cubature.clone() });
            }
            let whole = Model::new(parts).expect("sound");
            let r = whole.basis().rank();
            for count in [1, 3, r - 1] {
                let part = whole.truncated(count).expect("in range");
                let mut q = pose(r);
                q[count..].fill(0.0);
                let ((W, f, K), (W1, f1, K1)) = (at(&whole, &q), at(&part, &q[..count]));
                near("energy", W1, W, W);
                let size = f.iter().fold(0.0, |m: f64, f| m.max(f.abs()));
                let stiff = (0..r).fold(0.0, |m: f64, i| m.max(K.get(i, i)));
                for i in 0..count {
                    near("force", f1[i], f[i], size);
                    (0..count).for_each(|j| near("stiffness", K1.get(i, j), K.get(i, j), stiff));
                    assert_eq!(part.reduced_mass().get(0, i), whole.reduced_mass().get(0, i));
                    assert_eq!(part.gravity()[1][i], whole.gravity()[1][i]);
                }
                let (mut u, mut u1) = (vec![0.0; whole.basis().size()], vec![0.0; whole.basis().size()]);
                whole.basis().expand(&q, &mut u);
                part.basis().expand(&q[..count], &mut u1);
                u.iter().zip(&u1).for_each(|(u, u1)| near("displacement", *u1, *u, 1e-3));
                let bytes = part.to_bytes().expect("a file");
                let read = Model::from_bytes(Path::new("part"), &bytes).expect("sound");
                assert_eq!(read.to_bytes().expect("a file"), bytes, "{forces}");
            }
            for bad in [0, r + 1] {
                let error = whole.truncated(bad).expect_err("out of range").to_string();
                assert!(error.contains(&format!("expected 1 to {r}")), "{error}");
            }
        }
    }

    #[test]
    fn a_rescaled_model_is_the_model_of_the_rescaled_body() {
        let (s, d) = (2.5, 0.4);
        for (forces, material) in KINDS {
            let first = made(forces, material, "x<0%");
            let model = first.rescaled(s, d).expect("sound factors");
            let q = pose(first.basis().rank());
            let ((W, f, K), (W1, f1, K1)) = (at(&first, &q), at(&model, &q));
            near("energy", W1, s * W, s * W);
            let size = f.iter().fold(0.0, |m: f64, f| m.max(f.abs()));
            f.iter().zip(&f1).for_each(|(f, f1)| near("force", *f1, s * f, size));
            near("stiffness", K1.get(1, 2), s * K.get(1, 2), s * K.get(2, 2));
            // Put together anew from the rescaled recipe, it is the same.
            let body = model.body().expect("a body");
            let (mesh, recipe, basis) = (model.mesh().clone(), model.recipe().clone(), model.basis().clone());
            let again =
                Model::assemble(mesh, recipe, &body, basis, model.force().clone(), model.facts().clone());
            let again = again.expect("defined at rest");
            for i in 0..q.len() {
                near("mass", model.reduced_mass().get(i, i), again.reduced_mass().get(i, i), d);
                near(
                    "rest stiffness",
                    model.reduced_stiffness().get(i, i),
                    again.reduced_stiffness().get(i, i),
                    1e3 * again.reduced_stiffness().get(0, 0),
                );
                (0..3).for_each(|c| near("gravity", model.gravity()[c][i], again.gravity()[c][i], 1.0));
            }
            let bytes = model.to_bytes().expect("a file");
            let read = Model::from_bytes(Path::new("rescaled"), &bytes).expect("sound");
            assert_eq!(read.to_bytes().expect("a file"), bytes, "{forces}");
            near("frequencies", model.frequencies_hz()[0], (s / d).sqrt() * first.frequencies_hz()[0], 1e3);
            assert!(first.rescaled(0.0, 1.0).is_err() && first.rescaled(1.0, f64::NAN).is_err());
            let error = first.rescaled(1.0, 1e306).expect_err("too heavy").to_string();
            assert!(error.contains("number"), "{error}");
        }
    }

    #[test]
    fn natural_modes_are_those_that_the_basis_came_from() {
        let held = made("linear", "stvk", "x<0%");
        let modes = held.natural_modes().expect("modes");
        let r = held.basis().rank();
        for (found, wanted) in modes.frequencies_hz().iter().zip(held.frequencies_hz()).take(2) {
            assert!((found / wanted - 1.0).abs() < 1e-2, "{found} Hz instead of {wanted} Hz");
        }
        let mut Mx = vec![0.0; r];
        for x in modes.shapes.chunks_exact(r) {
            held.reduced_mass().apply(x, &mut Mx);
            near("length", x.iter().zip(&Mx).map(|(x, y)| x * y).sum(), 1.0, 1.0);
        }
        // A factor of the density does not change the shapes' length by mass.
        let heavy = held.rescaled(1.0, 4.0).expect("sound").natural_modes().expect("modes");
        near("half the frequency", heavy.frequencies_hz()[0], 0.5 * modes.frequencies_hz()[0], 1e2);
        near("half the shape", heavy.shapes[0].abs(), 0.5 * modes.shapes[0].abs(), 1e2);
        let free = made("linear", "stvk", "none").natural_modes().expect("modes");
        assert_eq!(free.frequencies_hz()[..6], [0.0; 6]);
        assert!(free.frequencies_hz()[6] > 1.0);
    }
}
