//! From a mesh on the command line to a body: the options that every command with a MESH shares.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context as _, bail};
use pliant::energy::{Body, MassKind, Recipe};
use pliant::mesh::{MeshData, select};
use pliant::sim::accuracy::usual_hold;

use crate::cmd::mesh::Cubes;
use crate::help;
use crate::model::load_mesh;

/// How a mesh becomes a deformable body.
#[derive(clap::Args)]
#[command(next_help_heading = "Body")]
pub(crate) struct BodyArgs {
    #[arg(long, value_name = "NAME", help = help::material())]
    material: Option<String>,
    /// Young's modulus, pascal [default: what the file says, else 1e6].
    #[arg(long, allow_negative_numbers = true, value_name = "E")]
    young: Option<f64>,
    /// Poisson's ratio [default: what the file says, else 0.45].
    #[arg(long, allow_negative_numbers = true, value_name = "NU")]
    poisson: Option<f64>,
    /// Density, kg/m³ [default: what the file says, else 1000].
    #[arg(long, allow_negative_numbers = true, value_name = "RHO")]
    density: Option<f64>,
    /// Mooney-Rivlin coefficients, pascal [default: from the file, else from E and nu].
    #[arg(long, value_name = "MU10,MU01,V1", allow_hyphen_values = true)]
    mooney: Option<String>,
    #[arg(long, value_name = "KEY=VALUE", allow_hyphen_values = true, help = help::constant())]
    constant: Vec<String>,
    /// Bending stiffness of a surface [default: 1].
    #[arg(long, allow_negative_numbers = true, value_name = "KB")]
    bend: Option<f64>,
    /// Membrane stiffness of a surface [default: 1].
    #[arg(long, allow_negative_numbers = true, value_name = "KM")]
    membrane: Option<f64>,
    /// Thickness of a surface, metres; with the density it makes the mass [default: the mass is the area].
    #[arg(long, allow_negative_numbers = true, value_name = "H")]
    thickness: Option<f64>,
    /// Vertices that do not move: x<5%, y>95%, box:x0,y0,z0,x1,y1,z1, ids:3,17, set:NAME, a .bou or .txt file, none; a
    /// suffix such as :z fixes only that component. May be repeated [default: none].
    #[arg(long, value_name = "SPEC")]
    fix: Vec<String>,
    /// Mass matrix [default: consistent for solids, lumped for surfaces].
    #[arg(long, value_name = "KIND", value_parser = ["consistent", "lumped"])]
    mass: Option<String>,
    /// Scale so that the longest side of the bounding box has this length, metres.
    #[arg(long, allow_negative_numbers = true, value_name = "L")]
    scale_to: Option<f64>,
    #[command(flatten)]
    cubes: Cubes,
}

/// Body that was read, with its mesh and what is worth a warning.
pub(crate) struct LoadedBody {
    pub(crate) mesh: MeshData,
    pub(crate) body: Body,
    pub(crate) warnings: Vec<String>,
}

/// What a mesh of the right size becomes before it is a body, and what is worth a warning about it.
pub(crate) type Forming<'a> = dyn FnMut(MeshData, &mut Vec<String>) -> anyhow::Result<MeshData> + 'a;

/// Beyond these a file is likely in other units, metres.
const PLAUSIBLE: std::ops::RangeInclusive<f64> = 1e-3..=20.0;

impl BodyArgs {
    /// Reads the mesh and makes the body.
    pub(crate) fn make(&self, path: &Path) -> anyhow::Result<LoadedBody> {
        self.make_fixed(path, true)
    }

    /// As [`BodyArgs::make`]; `fix` false leaves out what is fixed, here and in the file.
    pub(crate) fn make_fixed(&self, path: &Path, fix: bool) -> anyhow::Result<LoadedBody> {
        Ok(self.make_with(path, fix, &mut |mesh, _| Ok(mesh))?.0)
    }

    /// As [`BodyArgs::make`] of what `form` makes of the mesh, with the recipe that the body was made by.
    pub(crate) fn make_with_recipe(
        &self,
        path: &Path,
        form: &mut Forming<'_>,
    ) -> anyhow::Result<(LoadedBody, Recipe)> {
        self.make_with(path, true, form)
    }

    /// As [`BodyArgs::make_with_recipe`]; where nothing is said about what is fixed, the body is held as usual.
    pub(crate) fn make_held(
        &self,
        path: &Path,
        form: &mut Forming<'_>,
    ) -> anyhow::Result<(LoadedBody, Recipe)> {
        if self.fixes() {
            return self.make_with(path, true, form);
        }
        let (mut made, mut recipe) = self.make_with(path, false, form)?;
        let (fixed, sentence) = usual_hold(&made.mesh).with_context(|| path.display().to_string())?;
        made.warnings
            .push(format!("nothing is said about what is fixed, so {sentence}; `--fix` says otherwise"));
        recipe.fixed = fixed;
        made.body = recipe.build(made.mesh.clone()).with_context(|| path.display().to_string())?;
        Ok((made, recipe))
    }

    fn make_with(
        &self,
        path: &Path,
        fix: bool,
        form: &mut Forming<'_>,
    ) -> anyhow::Result<(LoadedBody, Recipe)> {
        let loaded = load_mesh(path, self.cubes.split())?;
        let (mut mesh, mut warnings) = (loaded.mesh, loaded.notes);
        if let Some(length) = self.scale_to {
            mesh.scale_to(length).with_context(|| path.display().to_string())?;
        }
        let [low, high] = mesh.bounds();
        let longest = (high - low).max();
        if !PLAUSIBLE.contains(&longest) {
            warnings.push(format!(
                "{}: the body is {longest} m long; the file may be in other units (`--scale-to` sets its length)",
                path.display()
            ));
        }
        let mesh = form(mesh, &mut warnings).with_context(|| path.display().to_string())?;
        let fixed = if fix { self.fixed(&mesh, &mut warnings)? } else { Vec::new() };
        let recipe = Recipe {
            material: self.material.clone(),
            young: self.young,
            poisson: self.poisson,
            density: self.density,
            constants: self.constants()?,
            bend: self.bend,
            membrane: self.membrane,
            thickness: self.thickness,
            mass: self.mass.as_deref().and_then(MassKind::named),
            fixed,
        };
        let body = recipe.build(mesh.clone()).with_context(|| path.display().to_string())?;
        let unused = body.unused().len();
        if unused > 0 {
            warnings.push(format!("{unused} vertices belong to no element; they stay where they are"));
        }
        Ok((LoadedBody { mesh, body, warnings }, recipe))
    }

    /// An option of the body that was given, if there is one.
    pub(crate) fn given(&self) -> Option<&'static str> {
        let options = [
            ("--material", self.material.is_some()),
            ("--young", self.young.is_some()),
            ("--poisson", self.poisson.is_some()),
            ("--density", self.density.is_some()),
            ("--mooney", self.mooney.is_some()),
            ("--constant", !self.constant.is_empty()),
            ("--bend", self.bend.is_some()),
            ("--membrane", self.membrane.is_some()),
            ("--thickness", self.thickness.is_some()),
            ("--fix", !self.fix.is_empty()),
            ("--mass", self.mass.is_some()),
            ("--scale-to", self.scale_to.is_some()),
        ];
        options.into_iter().find(|(_, given)| *given).map(|(name, _)| name)
    }

    /// Constants that the material has of its own, by `--mooney` and `--constant`.
    fn constants(&self) -> anyhow::Result<BTreeMap<String, f64>> {
        let mut constants = self.mooney.as_deref().map(mooney).transpose()?.unwrap_or_default();
        for text in &self.constant {
            let pair = text.split_once('=').map(|(key, value)| (key.trim(), value.trim().parse::<f64>()));
            let Some((key, Ok(value))) = pair else {
                bail!("--constant {text:?}: expected KEY=VALUE with a number, such as mu10=2e5");
            };
            if constants.insert(key.to_owned(), value).is_some() {
                bail!("--constant {text:?}: {key} is given twice; give it once");
            }
        }
        Ok(constants)
    }

    /// Whether `--fix` was given.
    pub(crate) fn fixes(&self) -> bool {
        !self.fix.is_empty()
    }

    fn fixed(&self, mesh: &MeshData, warnings: &mut Vec<String>) -> anyhow::Result<Vec<select::Selection>> {
        let stored = mesh.attributes.sets.iter().map(|s| s.name.as_str());
        let stored: Vec<&str> =
            stored.filter(|name| *name == "fixed" || name.starts_with("fixed:")).collect();
        if self.fix.is_empty() && !stored.is_empty() {
            let words: Vec<String> = stored.iter().map(|name| format!("--fix set:{name}")).collect();
            warnings.push(format!(
                "nothing is fixed; the file stores fixed vertices: `{}` uses them",
                words.join(" ")
            ));
        }
        let mut fixed = Vec::new();
        for spec in &self.fix {
            let selection = select::select(mesh, spec).map_err(|e| anyhow::anyhow!("--fix: {e}"))?;
            if selection.vertices.is_empty() && spec != "none" {
                warnings.push(format!("--fix {spec:?} names no vertex of this mesh: it has no effect"));
            }
            fixed.push(selection);
        }
        Ok(fixed)
    }
}

/// Refuses a file in a folder that is not there, before anything is computed for it.
pub(crate) fn check_folder(path: &Path) -> anyhow::Result<()> {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() && !folder.is_dir() => {
            bail!("{}: the folder {} is not there; make it first", path.display(), folder.display())
        }
        _ => Ok(()),
    }
}

fn mooney(text: &str) -> anyhow::Result<BTreeMap<String, f64>> {
    let numbers: Result<Vec<f64>, _> = text.split(',').map(|x| x.trim().parse()).collect();
    match numbers.as_deref() {
        Ok(&[mu10, mu01, v1]) => Ok([("mu10", mu10), ("mu01", mu01), ("v1", v1)]
            .map(|(key, value)| (key.to_owned(), value))
            .into()),
        _ => bail!("--mooney {text:?}: expected three numbers MU10,MU01,V1 in pascal, such as 2e5,1e5,1e6"),
    }
}
