//! Faces that pass through each other, lie on each other, or are folded onto a neighbour.

use std::sync::atomic::{AtomicBool, Ordering};

use pliant_linalg::{Note, Progress, Watch};
use rayon::prelude::*;

use super::repeated::{by_position, sorted};
use super::{about_all, about_elements};
use crate::doctor::case::Case;
use crate::doctor::exact::Triangle;
use crate::doctor::search::{Edge, Search};
use crate::doctor::words::{count, place, verb};
use crate::doctor::{Finding, MAX_PAIRS, Severity, What};
use crate::{Result, terms};

/// Edges between two words to the watch; few, since in a tangle each may meet all triangles.
const CHUNK: usize = 1024;

/// And no more than these while they are costly.
const SHORT: usize = 16;

/// The search may always take the steps of so many edges: a second or a few.
const SMALL: u64 = 1 << 17;

/// So many triangles that one edge meets are kept for the list of pairs.
const KEPT: usize = 1 << 12;

pub(in crate::doctor) fn crossing(case: &Case<'_>, watch: &mut Watch<'_>) -> Result<Option<Finding>> {
    if !case.options.crossings {
        return Ok(None);
    }
    let all = Crossings::find(case, watch)?;
    let stopped = all.stopped_at.map(|done| {
        format!(
            "the search for crossing faces was stopped after {done} of {} edges, since too many faces are in each \
             other's way",
            all.edges
        )
    });
    if all.elements.is_empty() {
        let none = |why: String| format!("{why}; none cross so far: divide long thin faces, and look again");
        return Ok(stopped.map(|why| about_all(What::Crossing, Severity::Note, none(why))));
    }
    let pairs = all.pairs;
    let found = about_elements(case, What::Crossing, Severity::Warning, all.elements, |f| {
        let what = if case.is_solid() { "boundary faces" } else { "faces" };
        let (next, term) = if case.is_solid() {
            ("the solid overlaps itself: mesh the surface anew", terms::MESH_ANEW)
        } else {
            (
                "inside and outside are unclear there: make a solid of it, which unites what overlaps",
                terms::TETS,
            )
        };
        let sentence = format!(
            "{}{} of {what} {} or {}, {} in all ({} and {} at {}); {next}{}",
            if all.more || stopped.is_some() { "more than " } else { "" },
            count(pairs.len(), "pair"),
            verb(pairs.len(), "crosses", "cross"),
            verb(pairs.len(), "touches", "touch"),
            count(f.ids.len(), case.element_word()),
            pairs[0][0],
            pairs[0][1],
            place(&case.element_at(pairs[0][0])),
            stopped.map_or(String::new(), |why| format!("; {why}")),
        );
        Note::new(sentence, &[term])
    });
    Ok(found.map(|f| Finding { pairs, ..f }))
}

/// What was found.
struct Crossings {
    /// Ascending.
    elements: Vec<u32>,
    /// Ascending by face.
    pairs: Vec<[u32; 2]>,
    /// Whether there are more pairs than these.
    more: bool,
    /// How many edges there are, and after how many the search was given up.
    edges: usize,
    stopped_at: Option<usize>,
}

/// What one edge meets.
struct Met {
    /// Triangles through which it passes, [`KEPT`] at most, ascending.
    through: Vec<u32>,
    more: bool,
    /// The kind of the first of them, and whether there are others.
    kinds: Option<(u32, bool)>,
    /// Triangles of the edge that lie on each other.
    folded: Vec<Vec<u32>>,
    steps: u64,
}

impl Crossings {
    fn find(case: &Case<'_>, watch: &mut Watch<'_>) -> Result<Self> {
        // Vertices at the same position are the same here: a seam is not a crossing.
        let names = by_position(&case.scaled, &case.finite);
        let same = same_corners(case);
        let (mut triangles, mut face_of) = (Vec::new(), Vec::new());
        for (t, &f) in case.triangles.iter().zip(&case.face_of) {
            if let Some(t) = Triangle::new(t.map(|v| names[v as usize]), t.map(|v| case.scaled[v as usize])) {
                triangles.push(t);
                face_of.push(f);
            }
        }
        // Triangles of one kind are one face, or faces that are repeated, which is a finding of its own.
        let kind = |t: u32| same[face_of[t as usize] as usize];
        let search = Search::new(triangles);
        let most = case.options.crossing_steps.saturating_mul((search.edges.len() as u64).max(SMALL));
        // Marked in any order, the marks are the same.
        let marks: Vec<AtomicBool> = (0..case.faces.len()).map(|_| AtomicBool::new(false)).collect();
        let mark = |t: u32| marks[face_of[t as usize] as usize].store(true, Ordering::Relaxed);
        let mut pairs = Pairs::default();
        let (mut steps, mut done) = (0u64, 0);
        // The steps of a chunk are known only afterwards, so chunks are short until edges prove cheap, and never so long
        // that they could take many times what is allowed.
        let longest = (most / 8 / search.triangles.len().max(1) as u64).clamp(1, CHUNK as u64) as usize;
        let mut chunk = longest.min(SHORT);
        while done < search.edges.len() && steps < most {
            Progress { stage: "crossing faces", done, total: search.edges.len() }.tell(watch)?;
            let some = &search.edges[done..search.edges.len().min(done + chunk)];
            let before = steps;
            let met: Vec<Met> = some.par_iter().map(|e| ask(&search, e, most, &kind, &mark)).collect();
            for (edge, met) in some.iter().zip(met) {
                steps += met.steps;
                pairs.more |= met.more;
                for &s in search.uses(edge) {
                    if met.kinds.is_some_and(|(first, others)| others || first != kind(s)) {
                        mark(s);
                        let others = met.through.iter().filter(|&&t| kind(t) != kind(s));
                        pairs.extend(others.map(|&t| [s, t].map(|t| face_of[t as usize])));
                    }
                }
                for mut group in met.folded {
                    group.sort_unstable_by_key(|&t| (kind(t), t));
                    if kind(group[0]) != kind(group[group.len() - 1]) {
                        group.iter().for_each(|&t| mark(t));
                    }
                    for &s in &group {
                        let others = &group[group.partition_point(|&t| kind(t) <= kind(s))..];
                        pairs.extend(others.iter().map(|&t| [s, t].map(|t| face_of[t as usize])));
                    }
                }
            }
            done += some.len();
            let dear = steps - before > most / 128;
            chunk = if dear { longest.min(SHORT) } else { longest.min(2 * chunk) };
        }
        let of = |f: u32| case.element_of_face(f);
        let marked = |f: &u32| marks[*f as usize].load(Ordering::Relaxed);
        let mut elements: Vec<u32> = (0..marks.len() as u32).filter(marked).map(of).collect();
        elements.sort_unstable();
        elements.dedup();
        pairs.tidy();
        Ok(Self {
            elements,
            pairs: pairs.list.iter().map(|p| p.map(of)).collect(),
            more: pairs.more,
            edges: search.edges.len(),
            stopped_at: (steps > most || done < search.edges.len()).then_some(done),
        })
    }
}

fn ask(
    search: &Search,
    edge: &Edge,
    most: u64,
    kind: &(impl Fn(u32) -> u32 + Sync),
    mark: &impl Fn(u32),
) -> Met {
    let uses = search.uses(edge);
    let only = uses.iter().all(|&s| kind(s) == kind(uses[0])).then(|| kind(uses[0]));
    let (mut through, mut more, mut kinds) = (Vec::new(), false, None);
    let steps = search.visit(
        edge,
        |t| only != Some(kind(t)),
        |t| {
            mark(t);
            let (first, others) = *kinds.get_or_insert((kind(t), false));
            kinds = Some((first, others || first != kind(t)));
            if through.len() < KEPT {
                through.push(t);
            } else {
                more = true;
            }
        },
    );
    through.sort_unstable();
    let (folded, more_steps) = search.folded(edge, most);
    Met { through, more, kinds, folded, steps: steps + more_steps }
}

/// Pairs of faces, a bounded number of them.
#[derive(Default)]
struct Pairs {
    list: Vec<[u32; 2]>,
    /// There are more than in the list.
    more: bool,
    /// Nothing more is taken.
    full: bool,
}

impl Pairs {
    fn extend(&mut self, pairs: impl Iterator<Item = [u32; 2]>) {
        if self.full {
            return;
        }
        for [a, b] in pairs {
            self.list.push([a.min(b), a.max(b)]);
            if self.list.len() >= 2 * MAX_PAIRS {
                self.tidy();
                if self.full {
                    return;
                }
            }
        }
    }

    /// Faces meet through several edges; each pair is wanted once.
    fn tidy(&mut self) {
        self.list.par_sort_unstable();
        self.list.dedup();
        if self.list.len() > MAX_PAIRS {
            self.list.truncate(MAX_PAIRS);
            (self.more, self.full) = (true, true);
        }
    }
}

/// For every face the first one with the same corners.
fn same_corners(case: &Case<'_>) -> Vec<u32> {
    let mut keys: Vec<(Vec<u32>, u32)> =
        (0..case.faces.len()).into_par_iter().map(|f| (sorted(case.faces.get(f)), f as u32)).collect();
    keys.par_sort_unstable();
    let mut first = vec![0; keys.len()];
    for same in keys.chunk_by(|a, b| a.0 == b.0) {
        same.iter().for_each(|s| first[s.1 as usize] = same[0].1);
    }
    first
}
