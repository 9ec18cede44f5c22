//! A tree of boxes over boxes: who may touch whom, who is nearest, in logarithmic time.
//!
//! The tree knows boxes only; whoever asks knows the triangles or tets in them. It is built by halving along the longest
//! side of the centres' box, so that the same boxes always give the same tree.

use pliant_linalg::Vec3;

/// An axis-aligned box, metres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb {
    /// Lowest corner.
    pub low: Vec3,
    /// Highest corner.
    pub high: Vec3,
}

impl Aabb {
    /// The box of nothing: any union with it gives the other.
    pub const EMPTY: Self = Self {
        low: Vec3::new(f64::INFINITY, f64::INFINITY, f64::INFINITY),
        high: Vec3::new(f64::NEG_INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY),
    };

    /// The smallest box around points.
    pub fn around<'a>(points: impl IntoIterator<Item = &'a Vec3>) -> Self {
        points.into_iter().fold(Self::EMPTY, |b, p| Self { low: b.low.inf(p), high: b.high.sup(p) })
    }

    /// The smallest box around both.
    pub fn union(&self, other: &Self) -> Self {
        Self { low: self.low.inf(&other.low), high: self.high.sup(&other.high) }
    }

    /// The box with `margin` added on every side.
    pub fn grown(&self, margin: f64) -> Self {
        let m = Vec3::repeat(margin);
        Self { low: self.low - m, high: self.high + m }
    }

    /// Whether the two share a point.
    pub fn overlaps(&self, other: &Self) -> bool {
        (0..3).all(|c| self.low[c] <= other.high[c] && other.low[c] <= self.high[c])
    }

    /// Its middle.
    pub fn centre(&self) -> Vec3 {
        (self.low + self.high) / 2.0
    }

    /// Square of the distance from `p`; 0 inside.
    pub fn distance_squared(&self, p: &Vec3) -> f64 {
        (p - p.sup(&self.low).inf(&self.high)).norm_squared()
    }

    /// Whether the segment from `a` to `b` may pass through (slab test, generous by rounding).
    pub fn meets_segment(&self, a: &Vec3, b: &Vec3) -> bool {
        let (mut start, mut end) = (0.0f64, 1.0f64);
        for c in 0..3 {
            let d = b[c] - a[c];
            if d == 0.0 {
                if a[c] < self.low[c] || a[c] > self.high[c] {
                    return false;
                }
                continue;
            }
            let (t0, t1) = ((self.low[c] - a[c]) / d, (self.high[c] - a[c]) / d);
            start = start.max(t0.min(t1) - 1e-12);
            end = end.min(t0.max(t1) + 1e-12);
        }
        start <= end
    }
}

/// A node: a leaf owns a range of the items in their order, an inner node has its first child right behind it.
#[derive(Clone, Copy, Debug)]
pub struct Node {
    /// Around everything below.
    pub bounds: Aabb,
    /// Leaf: start in `Bvh::order`. Inner node: index of its second child.
    start: u32,
    /// Leaf: how many items. Inner node: 0.
    count: u32,
}

/// What a node holds.
#[derive(Clone, Debug)]
pub enum Below<'a> {
    /// Items.
    Items(&'a [u32]),
    /// Two nodes.
    Nodes([usize; 2]),
}

/// The tree.
#[derive(Clone, Debug)]
pub struct Bvh {
    nodes: Vec<Node>,
    order: Vec<u32>,
    boxes: Vec<Aabb>,
}

/// Items in a leaf: small enough to test them one by one, large enough to keep the tree short.
const LEAF: usize = 4;

impl Bvh {
    /// A tree over boxes; item i is `boxes[i]`.
    pub fn new(boxes: Vec<Aabb>) -> Self {
        let mut order: Vec<u32> = (0..boxes.len() as u32).collect();
        let centres: Vec<Vec3> = boxes.iter().map(Aabb::centre).collect();
        let mut nodes = Vec::with_capacity(2 * boxes.len() / LEAF + 1);
        if !boxes.is_empty() {
            split(&boxes, &centres, &mut order, 0, &mut nodes);
        }
        Self { nodes, order, boxes }
    }

    /// A tree over triangles.
    pub fn of_triangles(vertices: &[Vec3], triangles: &[[u32; 3]]) -> Self {
        Self::new(triangles.iter().map(|t| Aabb::around(t.iter().map(|&v| &vertices[v as usize]))).collect())
    }

    /// A tree over tets.
    pub fn of_tets(vertices: &[Vec3], tets: &[[u32; 4]]) -> Self {
        Self::new(tets.iter().map(|t| Aabb::around(t.iter().map(|&v| &vertices[v as usize]))).collect())
    }

    /// The nodes, parents before children; node 0 is the root. Empty when there are no items.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// What is below a node.
    pub fn below(&self, node: usize) -> Below<'_> {
        let n = &self.nodes[node];
        match n.count {
            0 => Below::Nodes([node + 1, n.start as usize]),
            count => Below::Items(&self.order[n.start as usize..(n.start + count) as usize]),
        }
    }

    /// All items below a node.
    pub fn items(&self, node: usize) -> &[u32] {
        let (mut first, mut last) = (node, node);
        while self.nodes[first].count == 0 {
            first += 1;
        }
        while self.nodes[last].count == 0 {
            last = self.nodes[last].start as usize;
        }
        let last = &self.nodes[last];
        &self.order[self.nodes[first].start as usize..(last.start + last.count) as usize]
    }

    /// Calls `found` with every item whose node passes `wanted` all the way down and whose own box passes too.
    pub fn visit(&self, wanted: impl Fn(&Aabb) -> bool, mut found: impl FnMut(u32)) {
        let mut stack = Vec::with_capacity(64);
        stack.extend((!self.nodes.is_empty()).then_some(0));
        while let Some(node) = stack.pop() {
            if !wanted(&self.nodes[node].bounds) {
                continue;
            }
            match self.below(node) {
                Below::Items(items) => {
                    items.iter().filter(|&&i| wanted(&self.boxes[i as usize])).for_each(|&i| found(i));
                }
                Below::Nodes([a, b]) => stack.extend([b, a]),
            }
        }
    }

    /// The items whose box holds `p`, ascending, at most `most` of them, and whether there are more. So many boxes may hold one
    /// point that those who ask for each of many points must stop somewhere.
    pub fn holding(&self, p: &Vec3, most: usize) -> (Vec<u32>, bool) {
        let holds = |b: &Aabb| b.distance_squared(p) == 0.0;
        let mut found = Vec::new();
        let mut stack = Vec::with_capacity(64);
        stack.extend((!self.nodes.is_empty()).then_some(0));
        let mut more = false;
        while let Some(node) = stack.pop().filter(|_| !more) {
            if !holds(&self.nodes[node].bounds) {
                continue;
            }
            match self.below(node) {
                Below::Items(items) => {
                    found.extend(items.iter().copied().filter(|&i| holds(&self.boxes[i as usize])));
                    more = found.len() > most;
                }
                Below::Nodes([a, b]) => stack.extend([b, a]),
            }
        }
        found.truncate(most);
        found.sort_unstable();
        (found, more)
    }

    /// The item with the smallest squared distance and that distance; `distance_squared` is asked for few of them.
    /// Among equally near items the smallest number wins.
    pub fn nearest(&self, p: &Vec3, mut distance_squared: impl FnMut(u32) -> f64) -> Option<(u32, f64)> {
        let mut best: Option<(u32, f64)> = None;
        let mut stack = Vec::with_capacity(64);
        stack.extend((!self.nodes.is_empty()).then_some((0, 0.0)));
        while let Some((node, near)) = stack.pop() {
            if best.is_some_and(|(_, d)| near > d) {
                continue;
            }
            match self.below(node) {
                Below::Items(items) => {
                    for &i in items {
                        if best.is_some_and(|(_, d)| self.boxes[i as usize].distance_squared(p) > d) {
                            continue;
                        }
                        let d = distance_squared(i);
                        if best.is_none_or(|(j, b)| d < b || (d == b && i < j)) {
                            best = Some((i, d));
                        }
                    }
                }
                Below::Nodes(children) => {
                    let mut both = children.map(|c| (c, self.nodes[c].bounds.distance_squared(p)));
                    // The nearer one is popped first.
                    if both[0].1 <= both[1].1 {
                        both.reverse();
                    }
                    stack.extend(both);
                }
            }
        }
        best
    }
}

fn split(boxes: &[Aabb], centres: &[Vec3], order: &mut [u32], offset: u32, nodes: &mut Vec<Node>) {
    let bounds = order.iter().fold(Aabb::EMPTY, |b, &i| b.union(&boxes[i as usize]));
    let me = nodes.len();
    nodes.push(Node { bounds, start: offset, count: order.len() as u32 });
    if order.len() <= LEAF {
        return;
    }
    let spread = Aabb::around(order.iter().map(|&i| &centres[i as usize]));
    let axis = (spread.high - spread.low).imax();
    let middle = order.len() / 2;
    // The number breaks ties, so that the halves are the same on every machine.
    order.select_nth_unstable_by(middle, |&a, &b| {
        centres[a as usize][axis].total_cmp(&centres[b as usize][axis]).then(a.cmp(&b))
    });
    let (left, right) = order.split_at_mut(middle);
    split(boxes, centres, left, offset, nodes);
    let second = nodes.len() as u32;
    split(boxes, centres, right, offset + middle as u32, nodes);
    nodes[me] = Node { bounds, start: second, count: 0 };
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn boxes() -> impl Strategy<Value = Vec<Aabb>> {
        let point = || [-1.0..1.0f64, -1.0..1.0, -1.0..1.0].prop_map(Vec3::from);
        proptest::collection::vec(
            (point(), point()).prop_map(|(a, b)| Aabb::around([&a, &(a + b * 0.2)])),
            0..60,
        )
    }

    proptest! {
        #[test]
        fn the_tree_finds_what_a_plain_search_finds(boxes in boxes(), p in [-2.0..2.0f64, -2.0..2.0, -2.0..2.0]) {
            let p = Vec3::from(p);
            let tree = Bvh::new(boxes.clone());
            for (node, inner) in tree.nodes().iter().enumerate() {
                let around = tree.items(node).iter().fold(Aabb::EMPTY, |b, &i| b.union(&boxes[i as usize]));
                prop_assert_eq!(around, inner.bounds);
            }
            let distance = |i: u32| boxes[i as usize].distance_squared(&p);
            let plain = (0..boxes.len() as u32).map(|i| (i, distance(i))).min_by(|a, b| a.1.total_cmp(&b.1));
            prop_assert_eq!(tree.nearest(&p, distance), plain);
            let mut met = Vec::new();
            tree.visit(|b| b.meets_segment(&Vec3::zeros(), &p), |i| met.push(i));
            met.sort_unstable();
            let plain: Vec<u32> =
                (0..boxes.len() as u32).filter(|&i| boxes[i as usize].meets_segment(&Vec3::zeros(), &p)).collect();
            prop_assert_eq!(met, plain);
        }
    }
}
