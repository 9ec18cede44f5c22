//! `pliant mesh`: convert, make a shape, make a solid of a surface, tie a fine surface to it.

use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context as _, bail};
use pliant::draw;
use pliant::linalg::{Watch, quote, shown};
use pliant::mesh::io::{self, CubeSplit};
use pliant::mesh::rework::{Rework, Reworked, Tie};
use pliant::mesh::shapes::{self, ShapeOptions};
use pliant::mesh::tetrahedralise::{self, Size};
use pliant::mesh::{MeshData, doctor};
use pliant::report::mesh::sentences;
use pliant::world::facts::{Fact, of_mesh};

use crate::context::{Context, Status, described};
use crate::files::{Cubes, check_folder, ending, load_mesh};
use crate::numbers;

/// Convert a mesh, make one of our shapes, or make a solid of a surface.
#[derive(clap::Args)]
#[command(after_help = "EXAMPLES
  pliant mesh in.vtk -o out.msh                            convert
  pliant mesh bunny.stl -o bunny.veg --tets                a solid of any closed or nearly closed surface
  pliant mesh bunny.stl -o bunny.veg --tets --elements 20000 --picture bunny.png
  pliant mesh cloth.obj -o cage.msh --tets --cage          only enclose it
  pliant mesh bunny.ply -o coarse.ply --decimate 2000      thin a surface to so many vertices
  pliant mesh coarse.veg -o body.veg --embed fine.obj      tie a fine surface to a solid
  pliant mesh --shape dino -o dino.veg                     one of our shapes
  pliant mesh bar.veg -o bar.veg --fix 'x<5%' --young 2e5  fixed vertices and material, stored in the file")]
pub(crate) struct Args {
    /// Mesh to read; any format that `pliant formats` lists.
    #[arg(value_name = "IN", conflicts_with = "shape")]
    input: Option<PathBuf>,
    /// File to write; its ending names the format. `.png` draws it.
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
    /// How to write the format, such as `text` or `2.2-binary`; see `pliant formats`.
    #[arg(long, value_name = "NAME")]
    variant: Option<String>,
    /// Also draw what was made.
    #[arg(long, value_name = "FILE.png")]
    picture: Option<PathBuf>,

    /// Make one of our shapes instead of reading a file.
    #[arg(long, value_name = "NAME", value_parser = clap::builder::PossibleValuesParser::new(shape_names()))]
    shape: Option<String>,
    /// How fine a structured shape is, or the level of the sponge.
    #[arg(long, value_name = "N", requires = "shape", value_parser = numbers::size)]
    subdivision: Option<usize>,

    /// Thin a surface to so many vertices by collapsing edges, before anything else is made of it.
    #[arg(long, value_name = "N", value_parser = numbers::size)]
    decimate: Option<usize>,
    /// Make a solid of a surface.
    #[arg(long)]
    tets: bool,
    /// Cells along the longest side [default: as many as a volume error under 1 % takes].
    #[arg(long, value_name = "N", requires = "tets", group = "size", value_parser = numbers::count(1..=4096))]
    resolution: Option<u32>,
    /// Length of a cell's edge, metres.
    #[arg(long, allow_negative_numbers = true, value_name = "LENGTH", requires = "tets", group = "size")]
    edge: Option<f64>,
    /// How many tets, within 15 %.
    #[arg(long, value_name = "N", requires = "tets", group = "size", value_parser = numbers::count(1..=100_000_000))]
    elements: Option<u32>,
    /// Only enclose the surface: for sheets, and for parts thinner than the cells.
    #[arg(long, requires = "tets")]
    cage: bool,
    /// Keep overlapping parts apart, each a region of its own, instead of uniting them.
    #[arg(long, requires = "tets")]
    keep_parts: bool,
    /// Tie this fine surface to the solid; with --tets and no file (or -), the surface that the solid was made of.
    #[arg(long, value_name = "SURFACE", num_args = 0..=1, default_missing_value = "-")]
    embed: Option<PathBuf>,

    /// Scale so that the longest side of the bounding box has this length, metres.
    #[arg(long, allow_negative_numbers = true, value_name = "L")]
    scale_to: Option<f64>,
    /// Vertices to store as the set `fixed`: x<5%, y>95%, box:x0,y0,z0,x1,y1,z1, ids:3,17, a .bou or .txt file; a
    /// suffix such as :z fixes only that component.
    #[arg(long, value_name = "SPEC")]
    fix: Vec<String>,
    /// Young's modulus to store, pascal.
    #[arg(long, allow_negative_numbers = true, value_name = "E")]
    young: Option<f64>,
    /// Poisson's ratio to store.
    #[arg(long, allow_negative_numbers = true, value_name = "NU")]
    poisson: Option<f64>,
    /// Density to store, kg/m³.
    #[arg(long, allow_negative_numbers = true, value_name = "RHO")]
    density: Option<f64>,
    #[command(flatten)]
    cubes: Cubes,
}

fn shape_names() -> Vec<&'static str> {
    shapes::ALL.iter().map(|s| s.name).collect()
}

pub(crate) fn run(args: &Args, context: &mut Context) -> anyhow::Result<Status> {
    let start = Instant::now();
    let draws = ending(&args.output) == "png";
    check_outputs(args, draws)?;
    let mut bar = context.bar();
    let mut watch = |p| bar.tell(p);
    let (mesh, mut notes) = source(args, &mut watch)?;
    let rework = rework(args, &mut notes)?;
    let Reworked { mesh, notes: more, missed } =
        rework.make(mesh, &mut watch).with_context(|| title(args))?;
    notes.extend(context.words().notes(&more));
    let report = doctor::examine(&mesh, &doctor::Options::default(), &mut watch)?;
    drop(bar);
    let mut files = Vec::new();
    let pictures: Vec<&PathBuf> = args.picture.iter().chain(draws.then_some(&args.output)).collect();
    if !pictures.is_empty() {
        let png = draw::mesh_picture(&mesh, &draw::Options::titled(title(args))).to_png();
        files.extend(pictures.into_iter().map(|path| (path.clone(), png.clone())));
    }
    if !draws {
        let saved = io::save(&args.output, &mesh, args.variant.as_deref());
        notes.extend(saved.with_context(|| shown(&args.output))?);
    }
    io::write_whole(&files).context("the picture was not written")?;

    let mut warnings = sentences(&report, &|note| context.words().note(note));
    warnings.extend(notes.iter().cloned());
    let mut facts = of_mesh(&mesh, &report, &warnings);
    let seconds = start.elapsed().as_secs_f64();
    facts.push(Fact::new("seconds", seconds).unit("s"));
    let title = format!("{}: written in {seconds:.2} s", shown(&args.output));
    context.report_as(&facts, &described(&title, &facts.rows(), &warnings))?;
    Ok(match missed {
        false => Status::Done,
        // People have read the notes in the report.
        true if !context.json() && !context.quiet() => Status::Missed,
        true => context.missed(&notes),
    })
}

/// What cannot be written is better known before the work than after it.
fn check_outputs(args: &Args, draws: bool) -> anyhow::Result<()> {
    if !draws {
        let format = io::format_of(&args.output)?;
        if let Some(variant) = args.variant.as_deref().filter(|v| !format.variants.contains(v)) {
            let (file, known) = (shown(&args.output), format.variants.join(", "));
            bail!("{file}: {} has no variant {}; choose one of {known}", format.title, quote(variant));
        }
    }
    if let Some(picture) = args.picture.as_ref().filter(|p| ending(p) != "png") {
        bail!("{}: a picture is a .png file", shown(picture));
    }
    for path in args.picture.iter().chain([&args.output]) {
        check_folder(path)?;
        if path.is_dir() {
            bail!("{}: this is a folder; name a file to write", shown(path));
        }
    }
    Ok(())
}

/// What stands above a picture: the file or the shape that it shows.
fn title(args: &Args) -> String {
    let input = args.input.as_ref().and_then(|p| p.file_name()).and_then(|n| n.to_str());
    input.or(args.shape.as_deref()).unwrap_or("mesh").to_owned()
}

/// The mesh to begin with, and what its reader noticed.
fn source(args: &Args, watch: &mut Watch<'_>) -> anyhow::Result<(MeshData, Vec<String>)> {
    match (&args.input, &args.shape) {
        (Some(path), _) => {
            let loaded = load_mesh(path, args.cubes.split())?;
            Ok((loaded.mesh, loaded.notes))
        }
        (None, Some(name)) => {
            let options = ShapeOptions { subdivision: args.subdivision, ..ShapeOptions::default() };
            Ok((shapes::find(name)?.make(&options, watch)?, Vec::new()))
        }
        (None, None) if args.embed.as_ref().is_some_and(|e| e.as_os_str() != "-") => bail!(
            "nothing to read: --embed took the file for its surface; name the mesh first, or write --embed=- to tie \
             the surface that the solid is made of"
        ),
        (None, None) => bail!("nothing to read: name a mesh file, or one of our shapes with --shape"),
    }
}

/// What is to be done with it.
fn rework(args: &Args, notes: &mut Vec<String>) -> anyhow::Result<Rework> {
    let size = match (args.resolution, args.edge, args.elements) {
        (Some(n), _, _) => Size::Resolution(n as usize),
        (_, Some(edge), _) => Size::Edge(edge),
        (_, _, Some(n)) => Size::Elements(n as usize),
        _ => Size::Auto,
    };
    let solid = tetrahedralise::Options {
        size,
        cage: args.cage,
        keep_parts: args.keep_parts,
        ..tetrahedralise::Options::default()
    };
    let tie = match &args.embed {
        None => None,
        Some(file) if file.as_os_str() == "-" => Some(Tie::Source),
        Some(file) => {
            let loaded = load_mesh(file, CubeSplit::default())?;
            notes.extend(loaded.notes);
            Some(Tie::Surface(Box::new(loaded.mesh)))
        }
    };
    Ok(Rework {
        scale_to: args.scale_to,
        decimate: args.decimate,
        solid: args.tets.then_some(solid),
        tie,
        young: args.young,
        poisson: args.poisson,
        density: args.density,
        fix: args.fix.clone(),
    })
}
