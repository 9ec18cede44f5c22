//! All of it in one call: what is asked of a body, and what was found.

use std::path::PathBuf;
use std::time::Instant;

use pliant_energy::{Body, MassKind, Recipe};
use pliant_linalg::{Note, Progress, Vec3, Watch, number};
use pliant_mesh::MeshData;
use pliant_mesh::io::arrays::Npz;
use pliant_reduce::ReduceError;
use pliant_sim::SimError;

use crate::distance::check_vertices;
use crate::terms::{ABSOLUTE, AT, CACHE, COARSE, EXACT, FROM, KIND, MODES, TIMES, refused};
use crate::{Alike, Coarse, Feature, Kind, Region, Signature, Skin, Spectrum, Times, flow, heat, spectrum};

/// Least persistence of features and of places that are alike, as a share of the range.
pub(crate) const PERSISTENCE: f64 = 0.05;

/// More than this cut off at the smallest time is worth a word.
const CUT_OFF: f64 = 0.01;

/// Vertices at which a thinned surface is held against the fine one.
const CHECKED: usize = 10;

/// Below which distance places are regions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Threshold {
    /// A distance.
    Distance(f64),
    /// The nearest share of the area of the surface, 0 to 1.
    Share(f64),
}

/// What is asked.
#[derive(Clone, Debug)]
pub struct Request {
    /// What vibrates.
    pub kind: Kind,
    /// How many modes; `None` is [`crate::MODES`], or all that there are.
    pub modes: Option<usize>,
    /// Whether rigid modes count; `None` is as usual: constants of heat do, rigid motions do not.
    pub rigid: Option<bool>,
    /// Where to look.
    pub times: Times,
    /// Vertices of which S is told.
    pub at: Vec<u32>,
    /// Vertices that distances are measured from.
    pub from: Vec<u32>,
    /// Below which distances there are regions.
    pub thresholds: Vec<Threshold>,
    /// How many places that are most alike.
    pub alike: usize,
    /// Whether feature points are looked for.
    pub features: bool,
    /// Their least persistence, as a share of the range.
    pub persistence: f64,
    /// Only `at`, without modes.
    pub exact: bool,
    /// Relative accuracy of that.
    pub tolerance: f64,
    /// By a surface that is thinned to so many vertices.
    pub coarse: Option<usize>,
    /// Whether that is held against the fine one.
    pub check: bool,
    /// A file with the modes of this body.
    pub cache: Option<PathBuf>,
}

impl Default for Request {
    fn default() -> Self {
        Self {
            kind: Kind::Vibration,
            modes: None,
            rigid: None,
            times: Times::Usual,
            at: Vec::new(),
            from: Vec::new(),
            thresholds: Vec::new(),
            alike: 0,
            features: false,
            persistence: PERSISTENCE,
            exact: false,
            tolerance: flow::TOLERANCE,
            coarse: None,
            check: false,
            cache: None,
        }
    }
}

/// Seconds of each stage.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Stages {
    /// Energy, mass and second derivatives, before anything is solved.
    pub hessian: f64,
    /// The eigenproblem; of an exact signature the flow.
    pub modes: f64,
    /// S at all vertices and all times.
    pub signature: f64,
}

/// How a thinned surface compares to the fine one at a few vertices.
#[derive(Clone, Debug, PartialEq)]
pub struct Check {
    /// Which vertices.
    pub vertices: Vec<u32>,
    /// Mean over vertices and times of |S' − S| / S, both at the same times in units of their slowest modes.
    pub mean: f64,
    /// The largest.
    pub worst: f64,
}

/// What was found.
pub struct Found {
    /// What was asked.
    pub request: Request,
    /// The surface on which places lie.
    pub skin: Skin,
    /// λ, ascending, rigid ones left out; of an exact signature none, or the slowest that its times are measured by.
    pub eigenvalues: Vec<f64>,
    /// How many rigid modes there are.
    pub rigid_modes: usize,
    /// t.
    pub times: Vec<f64>,
    /// Σ exp(−λt); nothing of an exact signature.
    pub l1: Vec<f64>,
    /// S at all vertices; nothing of an exact signature.
    pub signature: Option<Signature>,
    /// S of each vertex of `request.at` at all times.
    pub told: Vec<Vec<f64>>,
    /// The distance of all vertices, where one was asked for.
    pub distance: Option<Vec<f64>>,
    /// Regions, threshold by threshold.
    pub regions: Vec<Region>,
    /// Places that are most alike.
    pub alike: Vec<Alike>,
    /// Feature points.
    pub features: Vec<Feature>,
    /// What modes beyond the last would add at the smallest time, as a share: an estimate.
    pub truncation: f64,
    /// How the thinned surface compares to the fine one.
    pub check: Option<Check>,
    /// Seconds.
    pub stages: Stages,
    /// What a user should know.
    pub warnings: Vec<Note>,
    /// What was not done to the standard that was asked, in sentences.
    pub missed: Vec<Note>,
}

impl Request {
    /// What the recipe of a body should be for signatures: its mass lumped, unless it says otherwise.
    pub fn suit(recipe: &mut Recipe) {
        recipe.mass.get_or_insert(MassKind::Lumped);
    }

    /// All that is asked of `body`, which `recipe` makes of `mesh`.
    ///
    /// # Errors
    /// What does not go together or is not there, no convergence, or the watch asked to stop.
    pub fn run(
        &self,
        mesh: &MeshData,
        recipe: &Recipe,
        body: &Body,
        watch: &mut Watch<'_>,
    ) -> Result<Found, SimError> {
        self.check(body)?;
        if self.exact { self.exactly(body, watch) } else { self.by_modes(mesh, recipe, body, watch) }
    }

    /// Refuses what does not go together.
    fn check(&self, body: &Body) -> Result<(), SimError> {
        self.times.check()?;
        let contradiction = |so: bool, sentence: &str, terms: &[pliant_linalg::Term]| {
            if so { Err(refused(sentence, terms)) } else { Ok(()) }
        };
        let heat = self.kind == Kind::Heat;
        let needs_from = !self.thresholds.is_empty() || self.alike > 0;
        contradiction(
            needs_from && self.from.is_empty(),
            "regions and places that are alike need a vertex that distances are measured from",
            &[FROM],
        )?;
        contradiction(
            self.exact && self.at.is_empty(),
            "computed exactly, a signature is that of chosen vertices; name some to look at",
            &[AT],
        )?;
        contradiction(
            self.exact && (needs_from || !self.from.is_empty() || self.features),
            "distances, regions and features need all vertices, which are not computed exactly; leave one of the two out",
            &[EXACT],
        )?;
        contradiction(
            self.exact && (heat || self.coarse.is_some() || self.cache.is_some()),
            "only vibrations of the body itself are computed exactly, without modes of a file and not on a thinned surface",
            &[EXACT, KIND, COARSE, CACHE],
        )?;
        contradiction(
            heat && (self.coarse.is_some() || self.cache.is_some()),
            "heat has modes of its own: neither those of a file nor those of a thinned surface; leave that out",
            &[KIND, COARSE, CACHE],
        )?;
        contradiction(
            self.coarse.is_some() && self.cache.is_some(),
            "modes of a file are not those of a thinned surface; leave one of the two out",
            &[COARSE, CACHE],
        )?;
        contradiction(
            self.check && self.coarse.is_none(),
            "there is nothing to check where no surface is thinned; say how coarse",
            &[COARSE],
        )?;
        contradiction(self.modes == Some(0), "a signature needs a mode; ask for at least 1", &[MODES])?;
        let wrong = |x: &f64, low: f64, high: f64| !(*x > low && *x <= high);
        for threshold in &self.thresholds {
            let (bad, said) = match threshold {
                Threshold::Distance(x) => (wrong(x, 0.0, f64::MAX), number(*x)),
                Threshold::Share(x) => (wrong(x, 0.0, 1.0), format!("{} %", number(100.0 * x))),
            };
            let sentence =
                format!("a threshold of {said}: expected a distance > 0, or a share of the area up to 100 %");
            contradiction(bad, &sentence, &[pliant_linalg::Term::new("threshold", "threshold")])?;
        }
        let sentence =
            format!("a persistence of {}: expected a share between 0 and 1", number(self.persistence));
        let term = [pliant_linalg::Term::new("persistence", "persistence")];
        contradiction(wrong(&self.persistence, 0.0, 1.0), &sentence, &term)?;
        let named = [&self.at[..], &self.from].concat();
        check_vertices(&named, body.rest().len(), body.unused())
    }

    fn exactly(&self, body: &Body, watch: &mut Watch<'_>) -> Result<Found, SimError> {
        let begin = Instant::now();
        let eigenvalues = match self.times {
            Times::Absolute(_) => Vec::new(),
            _ => slowest(body, watch)?,
        };
        let times = match self.times {
            // There is no fastest mode to begin with: three decades before the end.
            Times::Usual => {
                let to = crate::times::DECAYED;
                Times::Relative { from: 1e-3 * to, to, count: crate::SAMPLES }.by(&eigenvalues)?
            }
            _ => self.times.by(&eigenvalues)?,
        };
        let options = flow::Options { tolerance: self.tolerance, rigid: self.rigid.unwrap_or(false) };
        let flow = flow::signature(body, &self.at, &times, &options, watch)?;
        let mut found = Found::nothing(self, Skin::of(body));
        if !flow.converged {
            let sentence = format!(
                "the signature still changes by {:.0e} a block after {} solves, asked for was {:.0e}; ask for a shorter range of \
                 times, or less accuracy",
                flow.change, flow.solves, self.tolerance
            );
            let tolerance = pliant_linalg::Term::new("tolerance", "accuracy");
            found.missed.push(Note::new(sentence, &[TIMES, tolerance]));
        }
        found.rigid_modes = body.rigid_count();
        found.stages.modes = begin.elapsed().as_secs_f64();
        Ok(Found { eigenvalues, times, told: flow.values, ..found })
    }

    fn by_modes(
        &self,
        mesh: &MeshData,
        recipe: &Recipe,
        body: &Body,
        watch: &mut Watch<'_>,
    ) -> Result<Found, SimError> {
        let mut stages = Stages::default();
        let mut begin = Instant::now();
        let mut lap = || std::mem::replace(&mut begin, Instant::now()).elapsed().as_secs_f64();
        let mut notes = Vec::new();
        // What the watch hears first of the eigensolver ends the setting up.
        let mut set_up: Option<Instant> = None;
        let start = Instant::now();
        let mut told = |progress: Progress| {
            if progress.stage != "hessian" {
                set_up.get_or_insert_with(Instant::now);
            }
            watch(progress)
        };
        let coarse = match self.coarse {
            Some(vertices) => Some(Coarse::new(mesh, recipe, body, vertices, &mut |p| told(p))?),
            None => None,
        };
        let spectrum = self.spectrum(mesh, body, coarse.as_ref(), &mut told)?;
        let whole = lap();
        stages.hessian = set_up.map_or(0.0, |at| (at - start).as_secs_f64());
        stages.modes = whole - stages.hessian;
        let times = self.times.of(&spectrum)?;
        Progress::stage("signature").tell(watch)?;
        let own = spectrum.signature(&times);
        let signature = coarse.as_ref().map_or_else(|| own.clone(), |coarse| coarse.carry(&own));
        stages.signature = lap();
        notes.extend(spectrum.warnings.clone());
        notes.extend(coarse.iter().flat_map(|c| c.warnings.clone()));
        let truncation = spectrum.truncation(times[0]);
        notes.extend(cut_off(&spectrum, times[0], truncation));
        notes.extend(left_out(&signature.massless));
        let mut found = Found::nothing(self, Skin::of(body));
        (found.stages, found.truncation, found.warnings) = (stages, truncation, notes);
        (found.rigid_modes, found.l1) = (spectrum.rigid_modes, signature.l1.clone());
        (found.eigenvalues, found.times) = (spectrum.eigenvalues, times);
        found.told = self.at.iter().map(|&v| signature.of_vertex(v)).collect();
        if let Some(coarse) = coarse.as_ref().filter(|_| self.check) {
            found.check = Some(self.held_against(body, coarse, &signature, watch)?);
        }
        if !self.from.is_empty() {
            self.measure(&signature, &mut found)?;
        }
        if self.features {
            found.features = signature.features(&found.skin, self.persistence, watch)?;
        }
        found.signature = Some(signature);
        Ok(found)
    }

    /// Distances, regions, places that are alike.
    fn measure(&self, signature: &Signature, found: &mut Found) -> Result<(), SimError> {
        let distance = signature.distance(&self.from)?;
        for threshold in &self.thresholds {
            let below = match *threshold {
                Threshold::Distance(x) => x,
                Threshold::Share(x) => found.skin.threshold_of(&distance, x),
            };
            found.regions.extend(found.skin.regions(&distance, below));
        }
        found.alike = found.skin.alike(&distance, &self.from, self.alike, self.persistence);
        if found.alike.len() < self.alike {
            let sentence = format!(
                "{} of {} places that are alike were found: the others do not stand out by {} % of the range",
                found.alike.len(),
                self.alike,
                number(100.0 * self.persistence)
            );
            let term = pliant_linalg::Term::new("persistence", "stand out");
            found.warnings.push(Note::new(sentence, &[term]));
        }
        found.distance = Some(distance);
        Ok(())
    }

    fn spectrum(
        &self,
        mesh: &MeshData,
        body: &Body,
        coarse: Option<&Coarse>,
        watch: &mut Watch<'_>,
    ) -> Result<Spectrum, SimError> {
        Progress::stage("hessian").tell(watch)?;
        let rigid = self.rigid.unwrap_or(self.kind == Kind::Heat);
        let count = |available: usize| self.modes.unwrap_or(spectrum::MODES.min(available));
        if let Some(path) = &self.cache {
            return cached(path, body, self.modes, rigid);
        }
        match (self.kind, coarse) {
            (Kind::Heat, _) => Spectrum::heat(mesh, count(heat::available(mesh)?), rigid, watch),
            (Kind::Vibration, Some(coarse)) => coarse.vibration(count(coarse.available()), rigid, watch),
            (Kind::Vibration, None) => {
                let available = body.dofs().free().len() - body.rigid_count();
                Spectrum::vibration(body, count(available), rigid, watch)
            }
        }
    }

    /// The thinned surface beside the fine one, which is computed without modes.
    fn held_against(
        &self,
        body: &Body,
        coarse: &Coarse,
        carried: &Signature,
        watch: &mut Watch<'_>,
    ) -> Result<Check, SimError> {
        debug_assert!(
            coarse.mesh.vertices.len() <= body.rest().len(),
            "a thinned surface has fewer vertices"
        );
        let there: Vec<u32> =
            (0..body.rest().len() as u32).filter(|v| carried.massless.binary_search(v).is_err()).collect();
        let count = CHECKED.min(there.len());
        let vertices: Vec<u32> = (0..count).map(|k| there[k * there.len() / count]).collect();
        let unit = carried.slowest / slowest(body, watch)?[0];
        let times: Vec<f64> = carried.times.iter().map(|t| t * unit).collect();
        let options = flow::Options { tolerance: 1e-4, rigid: self.rigid.unwrap_or(false) };
        let fine = flow::signature(body, &vertices, &times, &options, watch)?;
        let (mut sum, mut worst, mut counted) = (0.0, 0.0_f64, 0);
        for (v, exact) in vertices.iter().zip(&fine.values) {
            for (own, exact) in carried.of_vertex(*v).iter().zip(exact).filter(|(_, exact)| **exact > 0.0) {
                let off = (own - exact).abs() / exact;
                (sum, worst, counted) = (sum + off, worst.max(off), counted + 1);
            }
        }
        Ok(Check { vertices, mean: sum / f64::from(counted.max(1)), worst })
    }
}

/// λ₁ of a body alone.
fn slowest(body: &Body, watch: &mut Watch<'_>) -> Result<Vec<f64>, SimError> {
    // A few more than one: the first may cost nothing.
    let count = 4.min(body.dofs().free().len() - body.rigid_count());
    let found = pliant_reduce::linear_modes(body, count.max(1), watch)?;
    let first = crate::times::slowest(&found.modes.eigenvalues);
    first.map(|x| vec![x]).ok_or_else(|| {
        let sentence =
            "none of the lowest modes costs energy, so that there is no unit of time; give absolute times";
        refused(sentence, &[ABSOLUTE])
    })
}

/// The modes of a file.
fn cached(
    path: &std::path::Path,
    body: &Body,
    count: Option<usize>,
    rigid: bool,
) -> Result<Spectrum, SimError> {
    let read = || -> Result<_, pliant_mesh::MeshError> {
        let npz = Npz::open(path)?;
        let values = npz.get("eigenvalues")?.data;
        let n = values.len();
        let rows = npz.get("modes")?.expect_shape(path, "modes", &[body.size(), n])?;
        let rest = match npz.has("rest") {
            true => Some(npz.get("rest")?.expect_shape(path, "rest", &[body.rest().len(), 3])?),
            false => None,
        };
        Ok((values, rows, rest))
    };
    let (mut values, rows, rest) = read().map_err(ReduceError::from)?;
    if let Some(rest) = rest {
        let extent = body.rest().iter().fold(0.0, |most: f64, x| most.max(x.amax()));
        let at = |p: &[f64]| Vec3::from_column_slice(p);
        let other = rest.chunks_exact(3).zip(body.rest()).any(|(p, x)| (at(p) - x).amax() > 1e-6 * extent);
        if other {
            let sentence = "the modes of a file are of another mesh, or of this one in another size or place; compute them anew";
            return Err(refused(sentence, &[CACHE]));
        }
    }
    let there = values.len();
    let wanted = count.unwrap_or(there);
    if wanted > there {
        let sentence = format!(
            "{wanted} modes were asked for, and the file has {there}; ask for fewer, or compute more"
        );
        return Err(refused(sentence, &[MODES]));
    }
    values.truncate(wanted);
    let size = body.size();
    let shapes = (0..wanted).flat_map(|k| (0..size).map(move |i| (i, k))).map(|(i, k)| rows[i * there + k]);
    Spectrum::of_shapes(body, values, shapes.collect(), rigid)
}

/// A word about what was cut off.
fn cut_off(spectrum: &Spectrum, t: f64, truncation: f64) -> Option<Note> {
    (truncation > CUT_OFF).then(|| {
        let (modes, time) = (spectrum.modes_for(t, CUT_OFF), spectrum.time_for(t, CUT_OFF));
        let first = crate::times::slowest(&spectrum.eigenvalues).unwrap_or(1.0);
        let sentence = format!(
            "modes beyond the last would add about {:.1} % at the smallest time; about {modes} modes would leave 1 %, or times \
             from {:.2e} in units of the slowest mode",
            100.0 * truncation,
            time * first
        );
        Note::new(sentence, &[MODES, TIMES])
    })
}

/// A word about vertices that weigh nothing.
fn left_out(massless: &[u32]) -> Option<Note> {
    let first = massless.first()?;
    let count = massless.len();
    let others = if count > 1 { format!(" and {} others", count - 1) } else { String::new() };
    let sentence =
        format!("vertex {first}{others} belong to no element and weigh nothing: they are left out");
    Some(sentence.into())
}

impl Found {
    pub(crate) fn nothing(request: &Request, skin: Skin) -> Self {
        Self {
            request: request.clone(),
            skin,
            eigenvalues: Vec::new(),
            rigid_modes: 0,
            times: Vec::new(),
            l1: Vec::new(),
            signature: None,
            told: Vec::new(),
            distance: None,
            regions: Vec::new(),
            alike: Vec::new(),
            features: Vec::new(),
            truncation: 0.0,
            check: None,
            stages: Stages::default(),
            warnings: Vec::new(),
            missed: Vec::new(),
        }
    }
}
