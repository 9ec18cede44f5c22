//! Pins that were painted on the shown surface, as fixed vertices of the body.

use std::collections::BTreeSet;

use pliant::mesh::select::Selection;
use pliant::reduce::Model;

use crate::shape::Skin;

/// What is fixed when exactly the shown vertices `wanted` are pinned: what was fixed, without the carriers of what was
/// unpinned, with those of what is pinned now. Nothing wanted is nothing fixed, inside too.
pub(super) fn changed(model: &Model, skin: &Skin, wanted: &[u32]) -> Vec<Selection> {
    if wanted.is_empty() {
        return Vec::new();
    }
    let wanted: BTreeSet<u32> = wanted.iter().copied().filter(|p| (*p as usize) < skin.rest.len()).collect();
    let pinned: BTreeSet<u32> = (0..skin.rest.len() as u32).filter(|p| skin.is_pinned(model, *p)).collect();
    let carriers = |points: &mut dyn Iterator<Item = &u32>| -> BTreeSet<u32> {
        points
            .flat_map(|p| skin.carriers.row(*p as usize))
            .filter(|(_, w)| *w != 0.0)
            .map(|(v, _)| v)
            .collect()
    };
    // What also carries something that stays pinned stays held.
    let stay = carriers(&mut wanted.iter());
    let loose = &carriers(&mut pinned.difference(&wanted)) - &stay;
    let held = carriers(&mut wanted.difference(&pinned));
    let mut fixed: Vec<Selection> = model.recipe().fixed.clone();
    fixed.iter_mut().for_each(|selection| selection.vertices.retain(|v| !loose.contains(v)));
    fixed.push(Selection { vertices: held.into_iter().collect(), components: [true; 3] });
    fixed.retain(|selection| !selection.vertices.is_empty());
    fixed
}
