//! Whose hands are on the body: clients name theirs by an id of their own. How a hand pulls is the world's business.

use pliant::linalg::Vec3;
use pliant::world::HandId;

use super::playing::Playing;
use crate::hub::GRABS;
use crate::protocol::Held;
use crate::words::sentence;

/// One hand.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hand {
    client: u32,
    id: u32,
    hand: HandId,
}

impl Playing {
    /// A hand closes. One of the same client and id lets go first.
    ///
    /// # Errors
    /// A sentence that says what would work.
    pub(super) fn grab(&mut self, client: u32, id: u32, vertex: u32, target: [f64; 3]) -> Result<(), String> {
        let closed = self.world.grab(self.body, vertex, Vec3::from(target)).map_err(|e| sentence(&e))?;
        self.release(client, id);
        if self.hands.iter().filter(|h| h.client == client).count() >= GRABS {
            let _ = self.world.release(closed);
            return Err(format!("you hold {GRABS} vertices already; release one first"));
        }
        self.hands.push(Hand { client, id, hand: closed });
        Ok(())
    }

    /// A hand moves.
    ///
    /// # Errors
    /// A sentence.
    pub(super) fn drag(&mut self, client: u32, id: u32, target: [f64; 3]) -> Result<(), String> {
        let held = self.hands.iter().find(|h| (h.client, h.id) == (client, id));
        let held = held.ok_or_else(|| format!("you hold nothing under the id {id}; grab a vertex first"))?;
        self.world.drag(held.hand, Vec3::from(target)).map_err(|e| sentence(&e))
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
        let held = self.hands.iter().filter_map(|h| {
            let held = self.world.held(h.hand)?;
            let (target, force) = (held.target.into(), held.force.into());
            Some(Held { client: h.client, id: h.id, vertex: held.vertex, target, force })
        });
        held.collect()
    }

    /// Forgets hands that the world has opened.
    pub(super) fn forget_open_hands(&mut self) {
        let world = &self.world;
        self.hands.retain(|h| world.held(h.hand).is_some());
    }

    fn let_go(&mut self, whose: impl Fn(&Hand) -> bool) -> bool {
        let before = self.hands.len();
        for hand in self.hands.iter().filter(|h| whose(h)) {
            let _ = self.world.release(hand.hand);
        }
        self.hands.retain(|h| !whose(h));
        self.hands.len() < before
    }
}
