//! What is near a vertex in its signature: connected regions, and the places that are most alike.

use pliant_linalg::Vec3;

use crate::Skin;
use crate::persistence::hills;

/// Places that are alike, connected on the surface.
#[derive(Clone, Debug, PartialEq)]
pub struct Region {
    /// Below which distance.
    pub threshold: f64,
    /// Its vertices, ascending.
    pub vertices: Vec<u32>,
    /// Their middle, by area, m.
    pub centre: Vec3,
    /// m².
    pub area: f64,
    /// Mean distance, by area.
    pub mean: f64,
}

/// A place that is like another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Alike {
    /// The vertex of that place that is most alike.
    pub vertex: u32,
    /// How far it is.
    pub distance: f64,
}

impl Skin {
    /// The connected regions with a distance below `threshold`, largest area first.
    pub fn regions(&self, distance: &[f64], threshold: f64) -> Vec<Region> {
        let pieces = self.pieces(|v| distance[v as usize] < threshold);
        let mut regions: Vec<Region> =
            pieces.into_iter().map(|piece| self.region(piece, distance, threshold)).collect();
        regions.sort_by(|a, b| b.area.total_cmp(&a.area).then(a.vertices[0].cmp(&b.vertices[0])));
        regions
    }

    fn region(&self, vertices: Vec<u32>, distance: &[f64], threshold: f64) -> Region {
        let (mut centre, mut area, mut sum) = (Vec3::zeros(), 0.0, 0.0);
        for &v in &vertices {
            let part = self.areas[v as usize];
            area += part;
            centre += self.rest[v as usize] * part;
            sum += distance[v as usize] * part;
        }
        let whole = if area > 0.0 { area } else { 1.0 };
        Region { threshold, vertices, centre: centre / whole, area, mean: sum / whole }
    }

    /// The threshold below which `share` of the area of the surface lies.
    pub fn threshold_of(&self, distance: &[f64], share: f64) -> f64 {
        let mut order: Vec<usize> =
            (0..distance.len()).filter(|&v| self.areas[v] > 0.0 && distance[v].is_finite()).collect();
        order.sort_by(|&a, &b| distance[a].total_cmp(&distance[b]));
        let whole: f64 = order.iter().map(|&v| self.areas[v]).sum();
        let mut below = 0.0;
        for &v in &order {
            if below >= share * whole {
                return distance[v];
            }
            below += self.areas[v];
        }
        f64::INFINITY
    }

    /// The `count` places that are most alike, nearest first, one vertex each: valleys of the distance that lie below the
    /// pass to a deeper one by `share` of its range. Those in which the vertices lie that it is measured from are left out.
    pub fn alike(&self, distance: &[f64], from: &[u32], count: usize, share: f64) -> Vec<Alike> {
        let upside: Vec<f64> = distance.iter().map(|d| -d).collect();
        let finite = || distance.iter().filter(|d| d.is_finite());
        let range = finite().fold(0.0, |most: f64, d| most.max(*d));
        let tops = hills(self, &upside);
        let mut places: Vec<Alike> = tops
            .iter()
            .filter(|hill| hill.persistence >= share * range)
            .map(|hill| Alike { vertex: hill.vertex, distance: distance[hill.vertex as usize] })
            .filter(|place| !from.contains(&place.vertex))
            .collect();
        places.sort_by(|a, b| a.distance.total_cmp(&b.distance).then(a.vertex.cmp(&b.vertex)));
        places.truncate(count);
        places
    }
}
