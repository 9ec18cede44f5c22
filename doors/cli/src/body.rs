//! From a mesh on the command line to a body: the options that every command with a MESH shares.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context as _, bail};
use pliant::energy::{MassKind, Recipe};
use pliant::linalg::{Watch, quote, shown};
use pliant::world::{BodyOptions, FullBody, Holding};

use crate::context::Context;
use crate::files::{Cubes, load_mesh};
use crate::help;

/// How a mesh becomes a deformable body.
#[derive(clap::Args)]
#[command(next_help_heading = "Body")]
pub(crate) struct BodyArgs {
    #[arg(long, value_name = "NAME", help = help::material())]
    material: Option<String>,
    /// Young's modulus, pascal; of a surface with --thickness, as a plate [default: what the file says, else 1e6].
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
    /// Bending stiffness of a surface [default: 1, or that of a plate].
    #[arg(long, allow_negative_numbers = true, value_name = "KB")]
    bend: Option<f64>,
    /// Membrane stiffness of a surface [default: 1, or that of a plate].
    #[arg(long, allow_negative_numbers = true, value_name = "KM")]
    membrane: Option<f64>,
    /// Thickness of a surface, metres; with the density it makes the mass, with Young's modulus the stiffness
    /// [default: the mass is the area].
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

impl BodyArgs {
    /// What the words ask for.
    pub(crate) fn options(&self) -> anyhow::Result<BodyOptions> {
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
            fixed: Vec::new(),
        };
        let holding = Holding::These(self.fix.clone());
        Ok(BodyOptions { scale_to: self.scale_to, solid: false, holding, recipe })
    }

    /// Reads the mesh and makes the body; what is worth a warning goes there.
    pub(crate) fn make(
        &self,
        path: &Path,
        options: &BodyOptions,
        context: &Context,
        warnings: &mut Vec<String>,
        watch: &mut Watch<'_>,
    ) -> anyhow::Result<FullBody> {
        let loaded = load_mesh(path, self.cubes.split())?;
        warnings.extend(loaded.notes);
        let body = options.make(loaded.mesh, watch).with_context(|| shown(path))?;
        warnings.extend(context.words().notes(&body.notes));
        Ok(body)
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
            ("--fix", self.fixes()),
            ("--mass", self.mass.is_some()),
            ("--scale-to", self.scale_to.is_some()),
        ];
        options.into_iter().find(|(_, given)| *given).map(|(name, _)| name)
    }

    /// Whether `--fix` was given.
    pub(crate) fn fixes(&self) -> bool {
        !self.fix.is_empty()
    }

    /// Constants that the material has of its own, by `--mooney` and `--constant`.
    fn constants(&self) -> anyhow::Result<BTreeMap<String, f64>> {
        let mut constants = self.mooney.as_deref().map(mooney).transpose()?.unwrap_or_default();
        for text in &self.constant {
            let pair = text.split_once('=').map(|(key, value)| (key.trim(), value.trim().parse::<f64>()));
            let Some((key, Ok(value))) = pair else {
                bail!("--constant {}: expected KEY=VALUE with a number, such as mu10=2e5", quote(text));
            };
            if constants.insert(key.to_owned(), value).is_some() {
                bail!("--constant {}: {} is given twice; give it once", quote(text), quote(key));
            }
        }
        Ok(constants)
    }
}

fn mooney(text: &str) -> anyhow::Result<BTreeMap<String, f64>> {
    let numbers: Result<Vec<f64>, _> = text.split(',').map(|x| x.trim().parse()).collect();
    match numbers.as_deref() {
        Ok(&[mu10, mu01, v1]) => Ok([("mu10", mu10), ("mu01", mu01), ("v1", v1)]
            .map(|(key, value)| (key.to_owned(), value))
            .into()),
        _ => bail!(
            "--mooney {}: expected three numbers MU10,MU01,V1 in pascal, such as 2e5,1e5,1e6",
            quote(text)
        ),
    }
}
