//! Coordinates of their own for handles: how the body at rest responds when a region moves.
//!
//! ```text
//! u_h = e_a X̂_b on the vertices of a handle,   0 on those of the others,   K_ff u_f = −K_fh u_h,   a = x, y, z,  b = x, y, z, 1   (1)
//! ```
//! Twelve columns a handle: every affine motion of it, and what is free in balance. Modes know the whole body and nothing of what is
//! selected; these are local where the handle is, so that a finger bends without its hand. They are made orthonormal to the basis and
//! put behind it. T14 section 5.4 leaves detail edits open; derived here.

use std::sync::Arc;

use pliant_energy::Tangent;
use pliant_linalg::factor::Cholesky;
use pliant_linalg::orth::Metric;
use pliant_linalg::{Dofs, Progress, Watch};
use pliant_reduce::force::{Ghost, StoredForce, StoredProjected};
use pliant_reduce::{Basis, Model, ReduceError};
use pliant_sim::SimError;

use crate::handles::middle;
use crate::terms::{FORCES, refused};
use crate::{Handle, Source};

/// Columns of one handle.
const COLUMNS: usize = 12;

/// What is added to K where handles leave a part of the body free, as a part of its size.
const SHIFT: f64 = 1e-10;

/// A model with the responses of these handles in its basis. Its forces are those of the model, made for the larger basis: a ghost of as
/// many vertices, or projected ones.
///
/// # Errors
/// As [`crate::check`]; other forces, which are trained for one basis; a body that cannot be factorised; or the watch asked to stop.
pub fn with_responses(
    of: Source<'_>,
    model: &Model,
    handles: &[Handle],
    watch: &mut Watch<'_>,
) -> Result<Model, SimError> {
    crate::check(handles, of.body)?;
    let size = of.body.size();
    Progress::stage("responses of handles").tell(watch)?;
    let responses = responses(of, handles)?;
    let known: Vec<f64> = (0..model.rank()).flat_map(|k| model.basis().column(k)).collect();
    let metric = Metric { mass: of.body.mass(), dofs: of.body.dofs() };
    let span = metric.extend(&known, &responses, 0.0, watch).map_err(ReduceError::from)?;
    let basis = Basis::from_columns(&[known, span.columns].concat(), size);
    let source = pliant_reduce::force::Source { mesh: of.mesh, recipe: of.recipe, body: of.body };
    let force: Arc<dyn StoredForce> = match model.force().name() {
        "ghost" => {
            let vertices = model.force().downcast_ref::<Ghost>().map_or(0, |ghost| ghost.vertices.len());
            Arc::new(Ghost::make(source, &basis, vertices, watch)?.ghost)
        }
        "projected" => Arc::new(StoredProjected),
        other => {
            let sentence = format!(
                "{other} forces are made for one basis, and the responses of handles make it larger; take ghost or projected forces"
            );
            return Err(refused(sentence, &[FORCES]));
        }
    };
    let facts = model.facts().clone();
    Ok(Model::assemble(of.mesh.clone(), of.recipe.clone(), of.body, basis, force, facts)?)
}

/// (1), column after column.
fn responses(of: Source<'_>, handles: &[Handle]) -> Result<Vec<f64>, SimError> {
    let (body, size) = (of.body, of.body.size());
    let mut held: Vec<bool> = (0..size).map(|i| body.dofs().is_held(i)).collect();
    for &v in handles.iter().flat_map(|handle| &handle.vertices) {
        held[3 * v as usize..3 * v as usize + 3].fill(true);
    }
    let free = Dofs::new(held);
    let mut K = body.zero_matrix();
    body.stiffness(&vec![0.0; size], Tangent::Exact, &mut K).expect("every energy is defined at rest");
    let refuse = |error: pliant_linalg::FactorError| SimError::Factor(error.to_string());
    let mut factor = Cholesky::analyse(K.pattern(), &free).map_err(refuse)?;
    if factor.factorise(&K).is_err() {
        let most = K.values().iter().flatten().flatten().fold(0.0, |most: f64, x| most.max(x.abs()));
        let lightest = body.vertex_masses().iter().copied().fold(0.0, f64::max);
        K.add_per_axis(SHIFT * most / lightest, body.mass());
        factor.factorise(&K).map_err(refuse)?;
    }
    let mut all = Vec::with_capacity(handles.len() * COLUMNS * size);
    for handle in handles {
        let middle = middle(&handle.vertices, of.mesh);
        let mut moved = vec![0.0; COLUMNS * size];
        let mut pulls = vec![0.0; COLUMNS * size];
        for k in 0..COLUMNS {
            let u = &mut moved[k * size..(k + 1) * size];
            for &v in &handle.vertices {
                let x = body.rest()[v as usize] - middle;
                u[3 * v as usize + k / 4] = [x[0], x[1], x[2], 1.0][k % 4];
            }
            let pull = &mut pulls[k * size..(k + 1) * size];
            K.apply(u, pull);
            pull.iter_mut().for_each(|x| *x = -*x);
        }
        factor.solve_many(&mut pulls, COLUMNS);
        moved.iter_mut().zip(&pulls).for_each(|(u, free)| *u += free);
        for u in moved.chunks_exact_mut(size) {
            body.dofs().hold(u);
        }
        all.extend(moved);
    }
    Ok(all)
}
