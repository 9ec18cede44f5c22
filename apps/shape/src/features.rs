//! Feature points: tips that stand out in the signature for a while.
//!
//! A vertex is one where S_t is a local maximum over the two-ring, stands above the pass to a higher one by a share of the
//! range of S_t, and does so for three times in a row, itself or a vertex of its two-ring.

use pliant_linalg::{Cancelled, Progress, Watch};
use rayon::prelude::*;

use crate::persistence::{Hill, hills};
use crate::{Signature, Skin};

/// Times in a row for which a feature lasts.
const LASTS: usize = 3;

/// A point that stands out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Feature {
    /// Which vertex.
    pub vertex: u32,
    /// The time at which it stands out most, s², for heat m².
    pub time: f64,
    /// S there.
    pub value: f64,
    /// How far it stands above the pass to a higher one, as a share of the range of S at that time.
    pub persistence: f64,
}

/// A feature while it lasts.
struct Track {
    last: (usize, u32),
    length: usize,
    best: Feature,
}

impl Signature {
    /// The feature points on a surface, the most persistent first; `share` of the range of S_t is the least persistence.
    ///
    /// # Errors
    /// The watch asked to stop.
    pub fn features(
        &self,
        skin: &Skin,
        share: f64,
        watch: &mut Watch<'_>,
    ) -> Result<Vec<Feature>, Cancelled> {
        let mut tracks: Vec<Track> = Vec::new();
        // A few times at once, so that the watch is asked between.
        let times: Vec<usize> = (0..self.times.len()).collect();
        for stretch in times.chunks(8) {
            Progress { stage: "features", done: stretch[0], total: times.len() }.tell(watch)?;
            let found: Vec<(usize, Vec<Feature>)> =
                stretch.par_iter().map(|&i| (i, self.outstanding(skin, i, share))).collect();
            for (i, features) in found {
                features.into_iter().for_each(|feature| follow(&mut tracks, skin, i, feature));
            }
        }
        let lasting = tracks.into_iter().filter(|track| track.length >= LASTS);
        let mut features: Vec<Feature> = lasting.map(|track| track.best).collect();
        features.sort_by(|a, b| b.persistence.total_cmp(&a.persistence).then(a.vertex.cmp(&b.vertex)));
        // One place may stand out, vanish and come back.
        let mut kept: Vec<Feature> = Vec::new();
        for feature in features {
            let near = skin.around(feature.vertex, 2);
            if !kept.iter().any(|k| near.binary_search(&k.vertex).is_ok()) {
                kept.push(feature);
            }
        }
        Ok(kept)
    }

    /// Local maxima at time number `i`.
    fn outstanding(&self, skin: &Skin, i: usize, share: f64) -> Vec<Feature> {
        let values: Vec<f64> =
            (0..self.vertices as u32)
                .map(|v| {
                    if self.massless.binary_search(&v).is_ok() {
                        f64::NAN
                    } else {
                        self.at_time(i)[v as usize]
                    }
                })
                .collect();
        let seen = (0..self.vertices as u32).filter(|&v| skin.has(v)).map(|v| values[v as usize]);
        let [low, high] = seen
            .filter(|x| x.is_finite())
            .fold([f64::INFINITY, f64::NEG_INFINITY], |[l, h], x| [l.min(x), h.max(x)]);
        // What rounding alone makes is no hill.
        let range = high - low;
        if range.is_nan() || range <= 1e-9 * high.abs() {
            return Vec::new();
        }
        let largest = |hill: &Hill| {
            let around = skin.around(hill.vertex, 2);
            around.iter().map(|&w| values[w as usize]).all(|x| x.is_nan() || x <= hill.value)
        };
        let hills = hills(skin, &values).into_iter().take_while(|hill| hill.persistence >= share * range);
        let feature = |hill: Hill| Feature {
            vertex: hill.vertex,
            time: self.times[i],
            value: hill.value,
            persistence: hill.persistence / range,
        };
        hills.filter(largest).map(feature).collect()
    }
}

/// Joins a feature of time number `i` to what was there just before, or begins with it.
fn follow(tracks: &mut Vec<Track>, skin: &Skin, i: usize, feature: Feature) {
    let near = skin.around(feature.vertex, 2);
    let goes_on = |track: &&mut Track| track.last.0 + 1 == i && near.binary_search(&track.last.1).is_ok();
    match tracks.iter_mut().find(goes_on) {
        Some(track) => {
            track.last = (i, feature.vertex);
            track.length += 1;
            if feature.persistence > track.best.persistence {
                track.best = feature;
            }
        }
        None => tracks.push(Track { last: (i, feature.vertex), length: 1, best: feature }),
    }
}
