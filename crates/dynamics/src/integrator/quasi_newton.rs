//! Quasi-Newton: backward Euler as a minimisation, with one factorisation for all steps but the hardest.
//!
//! ```text
//! g(x) = ‖x − y‖²_M / 2h² + W(x) + V(t, x),   y = x₀ + h v₀                             C17 eq. (3.1)
//! ∇g = M (x − y)/h² + f_int − f_ext          (or L x − J p in place of f_int)            C17 eq. (3.3)
//! A₀ = M/h² + L                                                                          C17 eq. (3.4)
//! ```
//! L-BFGS with A₀⁻¹ as its first guess, and an Armijo line search on g. The loads stay in V, where their dependence on x
//! is kept; for constant loads that is y + h² M⁻¹ f_ext of eq. (3.2). A step that is not done after 100 iterations goes on
//! with the tangent of where it has come to in place of A₀; a body that had sunk down on thin legs took 1,600 iterations a
//! step without that.
//!
//! [`QuasiNewton::new`] takes the true gradient and finds Newton's minimiser. It iterates until the tolerance is met,
//! as Newton's method does; `iterations: Some(10)` is the thesis's fixed budget.
//! [`QuasiNewton::projective`] is the thesis's own: the projective gradient gives directions, the true energy judges
//! them. That gradient belongs to another energy unless the material is the projective one, so that it comes to a halt
//! away from the minimiser. It does 10 iterations unless told otherwise, stops where it stalls, and reports the residual
//! of the true gradient with `converged` as that residual says.
//!
//! A load without a potential, such as drag, is in ∇g and not in g: where there is one, slopes judge the steps, not g.
//!
//! Damping enters as a dissipation potential h/2 vᵀ C v, v = (x − x₀)/h, C = α M + β K. For `rest` K = K(0); for
//! `tangent` K is taken at the start of the step: at its end it has no potential. The difference is of the order of h,
//! like the error of backward Euler itself. A₀ grows along: (1/h² + α/h) M + (1 + β/h) L.
//!
//! Not for motion that must keep its energy (use Newmark), nor where Newton's few iterations are cheaper: very stiff or
//! nearly incompressible matter, for which L is a poor stand-in. Source: LBK17 in docs/papers.md; the
//! acceptance of steps near the minimum is the approximate Wolfe condition, HZ05 in docs/papers.md.

use super::{Integrator, Settings, lbfgs::Lbfgs};
use crate::balance::{Balance, DampedBy, Magnitudes, Problem, Rule, Trouble};
use crate::halving::Halving;
use crate::vector::{add, dot, scale, worst};
use crate::{Damping, Options, State, StepError, StepReport, System, Tangent, error::Failure};

/// Without a cap from outside; a body with a poor stand-in needs some hundred.
const MOST_ITERATIONS: usize = 1000;

/// Iterations after which the stand-in is to blame.
const REFRESH: usize = 100;

/// The smallest count that C17 section 3.3 names.
const PROJECTIVE_ITERATIONS: usize = 10;

/// Sufficient decrease, of Armijo's rule.
const ARMIJO: f64 = 1e-4;

/// Relative to the terms of g: smaller changes are not trusted.
const BLIND: f64 = 1e-7;

/// Cuts of one step; 2⁻⁴⁰ of a step is no step.
const MOST_CUTS: usize = 40;

/// Backward Euler by L-BFGS on a constant factorisation.
#[derive(Clone, Debug)]
pub struct QuasiNewton {
    settings: Settings,
    projective: bool,
    halving: Halving,
    solver: Solver,
}

impl QuasiNewton {
    /// With the true gradient.
    pub fn new(settings: Settings) -> Self {
        Self { settings, projective: false, halving: Halving::default(), solver: Solver::default() }
    }

    /// With the projective gradient.
    pub fn projective(settings: Settings) -> Self {
        Self { projective: true, ..Self::new(settings) }
    }
}

impl Integrator for QuasiNewton {
    fn step(&mut self, system: &mut dyn System, state: &mut State, dt: f64) -> Result<StepReport, StepError> {
        let Self { settings: Settings { damping, options }, projective, halving, solver } = self;
        halving.step(system, state, dt, options, &mut |system, state, (t, dt), load| {
            let rule = Rule::backward_euler(dt);
            let mut problem = Problem::step(t, &rule, *damping);
            problem.projective = *projective;
            solver.balance.begin(state, &rule);
            if problem.damped_by == DampedBy::End {
                problem.damped_by = DampedBy::Start;
                system.linearise(t, &state.q, &state.v, Tangent::Exact).map_err(Trouble::from)?;
            }
            solver.fix(system, &problem)?;
            solver.first_guess(system, &problem, state, dt)?;
            let report = solver.minimise(system, problem, options, state)?;
            solver.balance.end(state)?;
            load.copy_from_slice(solver.balance.external());
            Ok(report)
        })
    }

    fn renew(&mut self, damping: Damping) {
        self.settings.damping = damping;
        self.solver.fixed = None;
    }

    fn impulse(&self) -> &[f64] {
        self.halving.impulse()
    }

    fn duplicate(&self) -> Box<dyn Integrator> {
        Box::new(self.clone())
    }
}

/// The minimisation with its memory.
#[derive(Clone, Debug, Default)]
struct Solver {
    balance: Balance,
    memory: Lbfgs,
    /// The weight of M in what is factorised.
    fixed: Option<f64>,
    /// A₀ is this times what is factorised.
    factor: f64,
    /// Whether this step has a tangent in place of A₀.
    refreshed: bool,
    /// g at d and its rounding, where they are known.
    level: Option<(f64, f64)>,
    d: Vec<f64>,
    r: Vec<f64>,
    p: Vec<f64>,
    d_try: Vec<f64>,
    r_try: Vec<f64>,
}

impl Solver {
    /// Factorises A₀ = (1/h² + α/h) M + (1 + β/h) L, unless it is there.
    fn fix(&mut self, system: &mut dyn System, problem: &Problem) -> Result<(), Failure> {
        let n = system.size();
        let Self { d, r, p, d_try, r_try, .. } = self;
        [d, r, p, d_try, r_try].into_iter().for_each(|x| x.resize(n, 0.0));
        let weights = problem.weights();
        self.factor = weights.stiffness + weights.rest_stiffness;
        let mass = weights.mass / self.factor;
        if self.fixed != Some(mass) {
            self.fixed = None;
            system.factorise_fixed(mass).map_err(|_| Failure::NotDefinite)?;
            self.fixed = Some(mass);
        }
        Ok(())
    }

    /// d = h v₀, where inertia goes, if g is lower there than at d = 0.
    fn first_guess(
        &mut self,
        system: &mut dyn System,
        problem: &Problem,
        state: &State,
        dt: f64,
    ) -> Result<(), Failure> {
        self.d.fill(0.0);
        let stay = match self.balance.potential(system, problem, &self.d) {
            Ok((stay, _)) => stay,
            Err(trouble) => {
                // The forces tell what an energy cannot: which coordinate, and of what.
                self.balance.residual(system, problem, &self.d, &mut self.r)?;
                return Err(trouble.into());
            }
        };
        self.d_try.copy_from_slice(&state.v);
        scale(dt, &mut self.d_try);
        let go = self.balance.potential(system, problem, &self.d_try);
        if go.is_ok_and(|(go, _)| go < stay) {
            self.d.copy_from_slice(&self.d_try);
        }
        Ok(())
    }

    fn minimise(
        &mut self,
        system: &mut dyn System,
        problem: Problem,
        options: &Options,
        start: &State,
    ) -> Result<StepReport, Failure> {
        self.memory.clear(self.d.len());
        self.level = None;
        self.refreshed = false;
        let own_cap = if problem.projective { PROJECTIVE_ITERATIONS } else { MOST_ITERATIONS };
        let most = options.iterations.unwrap_or(own_cap);
        let mut sizes = self.balance.residual(system, &problem, &self.d, &mut self.r)?;
        let round_off = 4.0 * system.round_off(&self.balance.q);
        let met = |sizes: &Magnitudes| {
            sizes.residual <= options.tolerance * sizes.largest()
                || sizes.residual <= round_off + sizes.rounding()
        };
        let mut iterations = 0;
        // Energies cannot judge where a load has none.
        let (mut stalled, mut by_energy) = (false, system.loads_have_potential());
        while !met(&sizes) && iterations < most && !stalled {
            if iterations > 0 && iterations % REFRESH == 0 && !problem.projective {
                self.refresh(system, &problem, start)?;
            }
            match self.descend(system, &problem, by_energy) {
                Some(new) => {
                    sizes = new;
                    iterations += 1;
                }
                // Downhill some step is short enough for Armijo's rule, unless rounding decides what g is: next to rest
                // an energy is what large terms leave of each other, and then only slopes can tell.
                None if by_energy && !problem.projective => by_energy = false,
                // What was learned may be of another place: once more along A₀⁻¹ alone.
                None if !self.memory.is_empty() => self.memory.clear(self.d.len()),
                None => stalled = true,
            }
        }
        if problem.projective {
            let truth = Problem { projective: false, ..problem };
            sizes = self.balance.residual(system, &truth, &self.d, &mut self.r)?;
        }
        if stalled && sizes.is_nothing() {
            // The last state that was looked at is not where we are.
            sizes = self.balance.residual(system, &problem, &self.d, &mut self.r)?;
        }
        let (residual, converged) = (sizes.relative(), met(&sizes) || sizes.is_nothing());
        // An explicit budget may end before the tolerance, and the projective gradient may halt; a line search that
        // finds nothing along the true gradient is a failure.
        let may_end = problem.projective || (options.iterations.is_some() && !stalled);
        if !converged && !may_end {
            return Err(Failure::NotConverged { residual, iterations, worst: worst(&self.r) });
        }
        Ok(StepReport { iterations, residual, halvings: 0, converged })
    }

    /// Takes the tangent where the iteration has come to in place of A₀, if it is definite: L is of the body at rest.
    fn refresh(&mut self, system: &mut dyn System, problem: &Problem, start: &State) -> Result<(), Failure> {
        // q and v there; the next direction overwrites both.
        self.balance.place_of(problem, &self.d, &mut self.d_try, &mut self.p);
        system.linearise(problem.t, &self.d_try, &self.p, Tangent::Positive).map_err(Trouble::from)?;
        self.refreshed = system.factorise(&problem.weights()).is_ok();
        // Pairs hold A₀⁻¹y of the old one.
        self.memory.clear(self.d.len());
        if problem.damped_by == DampedBy::Start {
            system.linearise(problem.t, &start.q, &start.v, Tangent::Exact).map_err(Trouble::from)?;
        }
        Ok(())
    }

    /// One iteration; nothing when no step along its direction lowers g, as g itself says or its slopes do.
    fn descend(&mut self, system: &mut dyn System, problem: &Problem, by_energy: bool) -> Option<Magnitudes> {
        let (factor, refreshed) = (self.factor, self.refreshed);
        self.memory.direction(&self.r, &mut self.p, |x| {
            if refreshed {
                system.solve(x);
            } else {
                system.solve_fixed(x);
                scale(1.0 / factor, x);
            }
        });
        let slope = dot(&self.p, &self.r);
        if !(slope < 0.0 && slope.is_finite()) {
            return None;
        }
        let known = self.level.map_or_else(|| self.balance.potential(system, problem, &self.d), Ok);
        let (start, rounding) = known.ok()?;
        self.level = Some((start, rounding));
        let mut length = 1.0;
        for _ in 0..MOST_CUTS {
            add(&self.d, length, &self.p, &mut self.d_try);
            let mut shorter = 0.5;
            // The full step is nearly always taken: its gradient is computed along with its energy.
            let tried = if length == 1.0 && !problem.projective {
                let both = self.balance.potential_and_residual(system, problem, &self.d_try, &mut self.r_try);
                both.map(|(level, sizes)| (level, Some(sizes)))
            } else {
                self.balance.potential(system, problem, &self.d_try).map(|level| (level, None))
            };
            if let Ok((level @ (end, _), sizes)) = tried {
                let change = end - start;
                // Near the minimum g changes in digits that rounding has spoiled; there the slope decides (HZ05). Where
                // the projective gradient stalls, short steps look like that too: of those only the full one is taken.
                let blind = match by_energy {
                    false => true,
                    true if problem.projective => length == 1.0 && change.abs() <= rounding,
                    true => change.abs() <= BLIND / f64::EPSILON * rounding,
                };
                if blind || change <= ARMIJO * length * slope {
                    let sizes = sizes.or_else(|| {
                        self.balance.residual(system, problem, &self.d_try, &mut self.r_try).ok()
                    });
                    let steep = dot(&self.p, &self.r_try);
                    let flat = steep <= -0.8 * slope && (length == 1.0 || steep >= 0.9 * slope);
                    if let Some(sizes) = sizes.filter(|_| !blind || flat) {
                        self.memory.learn(length, &self.p, &self.r, &self.r_try);
                        self.level = Some(level);
                        std::mem::swap(&mut self.d, &mut self.d_try);
                        std::mem::swap(&mut self.r, &mut self.r_try);
                        return Some(sizes);
                    }
                    shorter = (slope / (slope - steep)).clamp(0.1, 0.5);
                } else {
                    // The minimum of the parabola through g, its slope, and the new g.
                    shorter = (-0.5 * length * slope / (change - length * slope)).clamp(0.1, 0.5);
                }
            }
            length *= shorter;
        }
        None
    }
}
