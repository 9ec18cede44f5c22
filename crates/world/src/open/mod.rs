//! From a file to a body that can be pulled in real time: read, examine, weld, fill or enclose, hold, reduce, suit.
//!
//! [`Open::open`] is all of it; each stage can be called by itself. What a user should know of what was chosen, left out or
//! changed is in the notes.
//!
//! ```
//! use pliant_world::Open;
//! let ball = pliant_mesh::shapes::ball(0.3, 2).boundary().into_data();
//! let open = Open { tets: 300, ..Open::default() };
//! let opened = open.open_mesh(ball, &mut pliant_linalg::ignore_progress)?;
//! assert_eq!(opened.model.mesh().kind(), pliant_mesh::Kind::Tets);
//! assert!(opened.notes.iter().any(|note| note.contains("held at its lowest 5 %")));
//! # Ok::<(), pliant_world::OpenError>(())
//! ```

mod carry;
mod fill;
mod hold;
mod plate;
mod pose;
mod preset;
mod read;
mod remake;

use std::path::Path;

use pliant_energy::Recipe;
use pliant_linalg::table::Unknown;
use pliant_linalg::{Note, Progress, Term, Watch, ignore_progress};
use pliant_mesh::io::Source;
use pliant_mesh::loose::loose_parts;
use pliant_mesh::measure::metres;
use pliant_mesh::{Elements, Kind, MeshData, TetMesh, doctor};
use pliant_reduce::force::Settings;
use pliant_reduce::{Model, Precompute, ReduceError};

use crate::OpenError;
pub use carry::Carry;
pub use fill::forms;
pub use hold::{Fixed, Holding};
pub use plate::{PLATES, Plate};
pub(crate) use pose::unlikely_unit;
pub use pose::{Proposal, Up, proposed, source};
pub use preset::{PRESETS, Preset};
pub use read::{Contents, MODEL, is_model, read, read_file};
pub use remake::{Remake, own_constants, pinned};

/// Tets of a solid that is made of a surface: fine enough to bend well, and reduced in seconds.
const TETS: usize = 9_000;

/// Swings a second that are pleasant to look at, and what a body gets that has fewer or more.
const PLEASANT: std::ops::RangeInclusive<f64> = 1.0..=6.0;
const SWINGS: f64 = 2.5;

/// What a surface becomes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// A solid where it encloses a volume, else what it is: a sheet.
    #[default]
    Fitting,
    /// A solid; tets enclose what encloses nothing.
    Solid,
    /// A sheet that bends and stretches; of a solid its skin.
    Shell,
    /// A solid around it, even where it could be filled: thin parts and loose ones stay together.
    Cage,
}

impl Form {
    /// All of them, by name.
    pub const ALL: [(&'static str, Self); 4] =
        [("fitting", Self::Fitting), ("solid", Self::Solid), ("shell", Self::Shell), ("cage", Self::Cage)];

    /// One of them.
    ///
    /// # Errors
    /// [`OpenError::Unknown`] of a name that none of them has.
    pub fn find(name: &str) -> Result<Self, OpenError> {
        Self::ALL.iter().find(|(known, _)| *known == name).map(|(_, form)| *form).ok_or_else(|| {
            let known = Self::ALL.iter().map(|(name, _)| *name).collect();
            Unknown { what: "form", name: name.to_owned(), known }.into()
        })
    }

    /// As in [`Form::ALL`].
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, form)| *form == self).map_or("fitting", |(name, _)| *name)
    }
}

/// How a file becomes a body. The default is what suits a page or a game: a step takes a small part of 1/240 s.
#[derive(Clone, Debug)]
pub struct Open {
    /// Which axis of the file points up.
    pub up: Up,
    /// The longest side that the body gets, m; `None`: as the file says.
    pub size: Option<f64>,
    /// What a surface becomes.
    pub form: Form,
    /// Tets of a solid that is made of a surface, about.
    pub tets: usize,
    /// What is held.
    pub holding: Holding,
    /// What it is made of.
    pub recipe: Recipe,
    /// How it is reduced.
    pub precompute: Precompute,
    /// Where a body has fewer coordinates than are asked for, it gets those that it has; else that is an error.
    pub fewer_coordinates: bool,
    /// Where nobody says what it is made of, it gets a stiffness by which it swings at a pace that can be seen.
    pub suit: bool,
}

impl Default for Open {
    /// All of the 44 modes and derivatives have room, so that the frequencies of the modes are the body's.
    fn default() -> Self {
        let usual = Settings { poses: 200, ..Settings::default() };
        Self {
            up: Up::Y,
            size: None,
            form: Form::Fitting,
            tets: TETS,
            holding: Holding::Usual,
            recipe: Recipe::default(),
            precompute: Precompute { modes: Some(8), rank: Some(44), usual, ..Precompute::default() },
            fewer_coordinates: true,
            suit: true,
        }
    }
}

/// A mesh that can be computed with, what it is made of and what holds it.
#[derive(Clone, Debug)]
pub struct Prepared {
    /// The mesh.
    pub mesh: MeshData,
    /// What it is made of, and what is held.
    pub recipe: Recipe,
    /// What the doctor found in the mesh as it came; `None` of one that was prepared before.
    pub report: Option<doctor::Report>,
    /// What a user should know.
    pub notes: Vec<Note>,
    /// Whether a solid was made that has not the pieces and handles of its surface; a note says where.
    pub differs: bool,
    /// What the mesh became: tets may enclose what they could not fill. `None` of one that was prepared before.
    pub form: Option<Form>,
}

/// A body that can be pulled.
#[derive(Clone, Debug)]
pub struct Opened {
    /// The reduced model.
    pub model: Model,
    /// What the doctor found in the mesh as it came; `None` of a model that was read.
    pub report: Option<doctor::Report>,
    /// What a user should know.
    pub notes: Vec<Note>,
    /// As [`Prepared::form`]; `None` of a model that was read.
    pub form: Option<Form>,
}

/// Is told the mesh as it came and what the doctor found, before the long work begins.
pub type OnFindings<'a> = dyn FnMut(&MeshData, &doctor::Report) + 'a;

/// Is given a first body, of linear modes alone, which can be shown and pulled while the finished one is being made.
pub type OnDraft<'a> = dyn FnMut(Opened) + 'a;

/// A file as a body, with all that suits it.
///
/// # Errors
/// A file that cannot be read, or of which no body can be made.
pub fn open_file(path: impl AsRef<Path>) -> Result<Opened, OpenError> {
    Open::default().open_file_quietly(path)
}

impl Open {
    /// A file in memory as a body: a model stays what it is, of a mesh one is made.
    ///
    /// # Errors
    /// A file that cannot be read, or of which no body can be made; or the watch asked to stop.
    pub fn open(&self, source: &Source<'_>, watch: &mut Watch<'_>) -> Result<Opened, OpenError> {
        self.open_contents(read(source)?, &mut |_, _| (), watch)
    }

    /// The same of a file on the disk, with the surface that lies beside a solid.
    ///
    /// # Errors
    /// As [`Open::open`].
    pub fn open_file(&self, path: impl AsRef<Path>, watch: &mut Watch<'_>) -> Result<Opened, OpenError> {
        self.open_contents(read_file(path.as_ref())?, &mut |_, _| (), watch)
    }

    /// The same of a mesh.
    ///
    /// # Errors
    /// As [`Open::open`].
    pub fn open_mesh(&self, mesh: MeshData, watch: &mut Watch<'_>) -> Result<Opened, OpenError> {
        self.open_contents(Contents::Mesh { mesh, notes: Vec::new() }, &mut |_, _| (), watch)
    }

    /// [`Open::open_file`] that nobody watches.
    ///
    /// # Errors
    /// As [`Open::open`].
    pub fn open_file_quietly(&self, path: impl AsRef<Path>) -> Result<Opened, OpenError> {
        self.open_file(path, &mut ignore_progress)
    }

    /// [`Open::open_mesh`] that nobody watches.
    ///
    /// # Errors
    /// As [`Open::open`].
    pub fn open_mesh_quietly(&self, mesh: MeshData) -> Result<Opened, OpenError> {
        self.open_mesh(mesh, &mut ignore_progress)
    }

    /// The same of what was read; `on_findings` is told what is wrong with a mesh as soon as that is known.
    ///
    /// # Errors
    /// As [`Open::open`].
    pub fn open_contents(
        &self,
        contents: Contents,
        on_findings: &mut OnFindings<'_>,
        watch: &mut Watch<'_>,
    ) -> Result<Opened, OpenError> {
        Ok(self.open_in_stages(contents, on_findings, None, watch)?.0)
    }

    /// The same; `on_draft` is given a body of linear modes as soon as there is one, and the [`Carry`] takes its state over into the
    /// finished one. A model that was read is finished at once. The energy of the body is made once.
    ///
    /// # Errors
    /// As [`Open::open`].
    pub fn open_drafted(
        &self,
        contents: Contents,
        on_findings: &mut OnFindings<'_>,
        on_draft: &mut OnDraft<'_>,
        watch: &mut Watch<'_>,
    ) -> Result<(Opened, Option<Carry>), OpenError> {
        self.open_in_stages(contents, on_findings, Some(on_draft), watch)
    }

    fn open_in_stages(
        &self,
        contents: Contents,
        on_findings: &mut OnFindings<'_>,
        on_draft: Option<&mut OnDraft<'_>>,
        watch: &mut Watch<'_>,
    ) -> Result<(Opened, Option<Carry>), OpenError> {
        let (mesh, notes) = match contents {
            Contents::Model(model) => {
                let loose = loose_parts(model.mesh(), &model.recipe().fixed);
                let mut notes = model.cautions();
                notes.extend(loose.map(|parts| parts.note()));
                return Ok((Opened { model, report: None, notes, form: None }, None));
            }
            Contents::Mesh { mesh, notes } => (mesh, notes),
        };
        let mut prepared = self.prepare_with(mesh, on_findings, watch)?;
        prepared.notes.splice(0..0, notes.into_iter().map(Note::from));
        let (opened, carry) = self.reduce_in_stages(prepared, on_draft, watch)?;
        Ok((if self.suit { suited(opened)? } else { opened }, carry))
    }

    /// Examines a mesh and makes something of it that can be computed with: a solid with the surface tied to it, or a sheet.
    ///
    /// # Errors
    /// A mesh of which no body can be made, a selection that names nothing it could, or the watch asked to stop.
    pub fn prepare(&self, mesh: MeshData, watch: &mut Watch<'_>) -> Result<Prepared, OpenError> {
        self.prepare_with(mesh, &mut |_, _| (), watch)
    }

    /// The same; `on_findings` is told what is wrong with the mesh as soon as that is known.
    ///
    /// # Errors
    /// As [`Open::prepare`].
    pub fn prepare_with(
        &self,
        mesh: MeshData,
        on_findings: &mut OnFindings<'_>,
        watch: &mut Watch<'_>,
    ) -> Result<Prepared, OpenError> {
        let mut notes = Vec::new();
        let mesh = pose::posed(mesh, self.up, self.size)?;
        let report = examine(&mesh, &doctor::Options::default(), watch)?;
        on_findings(&mesh, &report);
        notes.extend(unlikely_unit(&mesh));
        let (mut differs, mut form) = (false, Form::Solid);
        let mesh = match mesh.elements {
            Elements::Tets(_) if self.form == Form::Shell => {
                form = Form::Shell;
                pose::skin(mesh)?
            }
            Elements::Tets(_) => {
                let (solid, turned) = TetMesh::reoriented(mesh)?;
                if turned > 0 {
                    notes.push(format!("{turned} inverted tets were turned around").into());
                }
                solid.into_data()
            }
            Elements::Faces(_) if self.form == Form::Shell => {
                form = Form::Shell;
                fill::sheet(mesh, &mut notes)?.into_data()
            }
            Elements::Faces(_) => {
                let filled = fill::filled(self, mesh, &mut notes, watch)?;
                (differs, form) = (filled.differs, filled.form);
                filled.mesh
            }
        };
        let mut prepared = self.held(mesh)?;
        prepared.notes.splice(0..0, notes);
        Ok(Prepared { report: Some(report), differs, form: Some(form), ..prepared })
    }

    /// A mesh that can be computed with as it is, with what is to be held.
    ///
    /// # Errors
    /// A selection that names what no mesh has.
    pub fn held(&self, mesh: MeshData) -> Result<Prepared, OpenError> {
        let (mut recipe, mut notes) = (self.recipe.clone(), Vec::new());
        if let Some((fixed, note)) = self.holding.of(&mesh)? {
            recipe.fixed = fixed;
            notes.extend(note);
        }
        Ok(Prepared { mesh, recipe, report: None, notes, differs: false, form: None })
    }

    /// Reduces what was prepared. The energy of the body is made once.
    ///
    /// # Errors
    /// As [`Precompute::build`].
    pub fn reduce(&self, prepared: Prepared, watch: &mut Watch<'_>) -> Result<Opened, OpenError> {
        Ok(self.reduce_in_stages(prepared, None, watch)?.0)
    }

    fn reduce_in_stages(
        &self,
        prepared: Prepared,
        on_draft: Option<&mut OnDraft<'_>>,
        watch: &mut Watch<'_>,
    ) -> Result<(Opened, Option<Carry>), OpenError> {
        let Prepared { mesh, recipe, report, mut notes, form, .. } = prepared;
        notes.extend(loose_parts(&mesh, &recipe.fixed).map(|parts| parts.note()));
        Progress::stage("making the body").tell(watch)?;
        let body = recipe.build(mesh.clone()).map_err(ReduceError::from)?;
        let there = body.dofs().free().len() - body.rigid_count();
        let modes = self.precompute.modes.map(|count| count.min(there));
        let precompute = Precompute { modes, ..self.precompute.clone() };
        let mut draft = None;
        if let Some(on_draft) = on_draft {
            let linear = Precompute {
                basis: "modes".into(),
                rank: None,
                forces: Some("linear".into()),
                points: None,
                ..precompute.clone()
            };
            let made = linear.reduce(mesh.clone(), recipe.clone(), &body, watch)?;
            draft = Some(made.model.basis().clone());
            let opened = Opened { model: made.model, report: report.clone(), notes: notes.clone(), form };
            on_draft(if self.suit { suited(opened)? } else { opened });
        }
        let mut make =
            |precompute: &Precompute| precompute.reduce(mesh.clone(), recipe.clone(), &body, watch);
        let made = match make(&precompute) {
            // Of a stiff or a small body some derivatives are nothing but rounding.
            Err(ReduceError::Rank { available, .. }) if self.fewer_coordinates => {
                make(&Precompute { rank: Some(available), ..precompute.clone() })?
            }
            other => other?,
        };
        notes.extend(made.warnings);
        let carry = draft.map(|draft| Carry::between(&draft, &made.model, &body));
        Ok((Opened { model: made.model, report, notes, form }, carry))
    }
}

/// Matter that swings at a pace that can be seen, where the file says nothing of matter: ω² is proportional to the
/// stiffness, so that nothing has to be built again.
///
/// # Errors
/// A model whose numbers cannot be held any more.
pub fn suited(opened: Opened) -> Result<Opened, OpenError> {
    let Opened { model, report, mut notes, form } = opened;
    let recipe = model.recipe();
    let said = [recipe.young, recipe.bend, recipe.membrane].iter().any(Option::is_some)
        || !recipe.constants.is_empty();
    let unsaid = !said && model.mesh().attributes.materials.is_empty();
    if unsaid && model.mesh().kind() != Kind::Tets {
        let length = model.longest_side();
        let Plate { name, thickness, .. } = *Plate::suiting(length);
        let swings = Plate::suiting(length).swings(length);
        let sentence = format!(
            "nobody says what it is made of, so its stiffness is no plate's; cut from matter of some thickness it has that matter's \
             weight and stiffness: {} of {name} would swing about {swings:.1} times a second",
            metres(thickness)
        );
        notes.push(Note::new(sentence, &[Term::new("thickness", "matter of some thickness")]));
    }
    let lowest = model.frequencies_hz().into_iter().find(|f| *f > 0.0);
    let Some(lowest) = lowest.filter(|f| unsaid && !PLEASANT.contains(f)) else {
        return Ok(Opened { model, report, notes, form });
    };
    let factor = (SWINGS / lowest).powi(2);
    // Two digits are enough for a number that nobody asked for.
    let digit = 10f64.powi(factor.log10().floor() as i32 - 1);
    let model = model.rescaled((factor / digit).round() * digit, 1.0)?;
    notes.push(format!("its stiffness was chosen so that it swings about {SWINGS} times a second").into());
    Ok(Opened { model, report, notes, form })
}

/// The doctor, as one stage.
fn examine(
    mesh: &MeshData,
    options: &doctor::Options,
    watch: &mut Watch<'_>,
) -> Result<doctor::Report, OpenError> {
    Ok(doctor::examine(mesh, options, &mut |p| watch(Progress { stage: "examining", ..p }))?)
}

#[cfg(test)]
mod tests;
