//! Hands on the body.
//!
//! A hand holds a vertex of the shown surface; a spring pulls the simulated vertex that carries most of it. Between the two
//! lies an offset, kept as it was when the hand closed, so that nothing jumps:
//! ```text
//! spring's target = hand − offset,   offset = (shown − simulated) at the grab
//! ```

use pliant::linalg::Vec3;
use pliant::mesh::Kind;
use pliant::sim::{Grab, SimError};

use super::playing::{Playing, finite};
use crate::hub::GRABS;
use crate::job::sentence;
use crate::protocol::Held;

/// Beside pins a vertex hardly moves, and a spring as stiff as it is would tear the rest of the body: no spring is stiffer than
/// so many times the body as a whole, m λ₁.
const MOST_GRIP: f64 = 4.0;

/// The spring against the body: with k = 3 the vertex goes three quarters of the way to a hand that stands still.
const GRIP: f64 = 3.0;

/// Farther from where the body rests no hand can be, in lengths of the body.
const FARTHEST: f64 = 100.0;

/// A hand pulls no harder than if it were so far from its vertex, in lengths of the body: beyond it the body is torn, not
/// pulled. A sheet has far less to resist with.
const REACH: f64 = 0.75;
const REACH_OF_A_SHEET: f64 = 0.25;

/// One hand.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hold {
    pub(super) client: u32,
    pub(super) id: u32,
    /// Of the shown surface.
    vertex: u32,
    /// Of the body.
    carrier: u32,
    grab: Grab,
    offset: Vec3,
    target: Vec3,
}

impl Playing {
    /// A hand closes. One of the same client and id lets go first.
    ///
    /// # Errors
    /// A sentence that says what would work.
    pub(super) fn grab(&mut self, client: u32, id: u32, vertex: u32, target: [f64; 3]) -> Result<(), String> {
        let shown = self.skin.rest.len();
        if vertex as usize >= shown {
            return Err(format!(
                "there is no vertex {vertex}; the surface has {shown}, 0 to {}",
                shown.saturating_sub(1)
            ));
        }
        let target = self.place(target)?;
        self.release(client, id);
        if self.holds.iter().filter(|h| h.client == client).count() >= GRABS {
            return Err(format!("you hold {GRABS} vertices already; release one first"));
        }
        // By weight; the first of equals.
        let mut carriers: Vec<(u32, f64)> = self.skin.carriers.row(vertex as usize).collect();
        carriers.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        for (carrier, _) in carriers {
            let stiffness = match self.live.static_stiffness(carrier) {
                Ok(stiffness) => (GRIP * stiffness).min(MOST_GRIP * self.whole * self.live.stiffness()),
                Err(SimError::FixedVertex { .. } | SimError::UnmovedVertex { .. }) => continue,
                Err(other) => return Err(sentence(&other)),
            };
            let simulated = self.live.vertex(carrier).map_err(|e| sentence(&e))?;
            let offset = self.skin.place(self.live.basis(), self.live.q(), vertex) - Vec3::from(simulated);
            let grab = self.live.grab(carrier, stiffness, target - offset).map_err(|e| sentence(&e))?;
            self.holds.push(Hold { client, id, vertex, carrier, grab, offset, target });
            return Ok(());
        }
        Err("this part is pinned and cannot move; take another, or unpin it and rebuild".into())
    }

    /// A hand moves.
    ///
    /// # Errors
    /// A sentence.
    pub(super) fn drag(&mut self, client: u32, id: u32, target: [f64; 3]) -> Result<(), String> {
        let target = self.place(target)?;
        let held = self.holds.iter_mut().find(|h| (h.client, h.id) == (client, id));
        let held = held.ok_or_else(|| format!("you hold nothing under the id {id}; grab a vertex first"))?;
        held.target = target;
        Ok(())
    }

    /// A hand opens; whether it held something.
    pub(super) fn release(&mut self, client: u32, id: u32) -> bool {
        self.let_go(|h| (h.client, h.id) == (client, id))
    }

    /// A client goes.
    pub(super) fn release_all(&mut self, client: u32) -> bool {
        self.let_go(|h| h.client == client)
    }

    /// Every hand, as all clients see it.
    pub(super) fn held(&self) -> Vec<Held> {
        let held = self.holds.iter().map(|h| Held {
            client: h.client,
            id: h.id,
            vertex: h.vertex,
            target: h.target.into(),
            force: self.live.force_of(h.grab).unwrap_or_default(),
        });
        held.collect()
    }

    /// Before a step: springs go where their hands are, but not beyond [`REACH`].
    pub(super) fn pull(&mut self) {
        let solid = self.live.model().mesh().kind() == Kind::Tets;
        let reach = self.length * if solid { REACH } else { REACH_OF_A_SHEET };
        for hold in &self.holds {
            let Ok(here) = self.live.vertex(hold.carrier) else { continue };
            let (here, wanted) = (Vec3::from(here), hold.target - hold.offset);
            let far = (wanted - here).norm();
            let target = if far <= reach { wanted } else { here + (wanted - here) * (reach / far) };
            // The grab is there as long as its hold is.
            let _ = self.live.drag(hold.grab, target);
        }
    }

    fn let_go(&mut self, whose: impl Fn(&Hold) -> bool) -> bool {
        let before = self.holds.len();
        for hold in self.holds.iter().filter(|h| whose(h)) {
            let _ = self.live.release(hold.grab);
        }
        self.holds.retain(|h| !whose(h));
        self.holds.len() < before
    }

    /// Where a hand may be.
    fn place(&self, target: [f64; 3]) -> Result<Vec3, String> {
        let target = finite(target).ok_or("a target needs three finite numbers, in metres")?;
        let [low, high] = self.live.model().mesh().bounds();
        let middle = (low + high) / 2.0;
        let (away, farthest) = (target - middle, FARTHEST * self.length);
        // Scaled first: the square of a huge number is none.
        let size = away.amax();
        if size <= farthest {
            return Ok(target);
        }
        Ok(middle + (away / size) * farthest)
    }
}
