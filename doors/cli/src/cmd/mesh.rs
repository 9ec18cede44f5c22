//! `pliant mesh`: convert, make a shape, make a solid of a surface, tie a fine surface to it.

use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context as _, bail};
use pliant::draw;
use pliant::mesh::decimate::{self, Target};
use pliant::mesh::io::{self, CubeSplit};
use pliant::mesh::shapes::{self, ShapeOptions};
use pliant::mesh::tetrahedralise::{self, Size};
use pliant::mesh::{
    Attributes, Kind, Law, Material, MeshData, Region, SurfaceMesh, TetMesh, VertexSet, doctor, embed, select,
};
use pliant::world::facts::of_mesh;
use serde_json::{Value, json};

use crate::context::{Context, Status};
use crate::facts;
use crate::model::load_mesh;

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
    #[arg(long, value_name = "N", requires = "shape")]
    subdivision: Option<usize>,

    /// Thin a surface to so many vertices by collapsing edges, before anything else is made of it.
    #[arg(long, value_name = "N")]
    decimate: Option<usize>,
    /// Make a solid of a surface.
    #[arg(long)]
    tets: bool,
    /// Cells along the longest side [default: as many as a volume error under 1 % takes].
    #[arg(long, value_name = "N", requires = "tets", group = "size", value_parser = clap::value_parser!(u32).range(1..=4096))]
    resolution: Option<u32>,
    /// Length of a cell's edge, metres.
    #[arg(long, allow_negative_numbers = true, value_name = "LENGTH", requires = "tets", group = "size")]
    edge: Option<f64>,
    /// How many tets, within 15 %.
    #[arg(long, value_name = "N", requires = "tets", group = "size", value_parser = clap::value_parser!(u32).range(1..=100_000_000))]
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

/// How hexahedra become tets.
#[derive(clap::Args)]
pub(crate) struct Cubes {
    /// How many tets a cube of the file becomes.
    #[arg(long, value_name = "5|6", default_value = "6", value_parser = ["5", "6"])]
    cubes: String,
}

impl Cubes {
    pub(crate) fn split(&self) -> CubeSplit {
        if self.cubes == "5" { CubeSplit::Five } else { CubeSplit::Six }
    }
}

fn shape_names() -> Vec<&'static str> {
    shapes::ALL.iter().map(|s| s.name).collect()
}

pub(crate) fn run(args: &Args, context: &mut Context) -> anyhow::Result<Status> {
    let start = Instant::now();
    let draws = is_png(&args.output);
    check_outputs(args, draws)?;
    let (mut mesh, mut notes) = source(args, context)?;
    if let Some(length) = args.scale_to {
        mesh.scale_to(length).with_context(|| title(args))?;
    }
    let mut surface = None;
    let mut lost = false;
    if let Some(vertices) = args.decimate {
        let thinned = thin(vertices, context, mesh, &mut notes).with_context(|| title(args))?;
        (mesh, lost) = (thinned.surface.into_data(), !thinned.reached);
    }
    if args.tets {
        let made = solid(args, context, mesh, &mut notes).with_context(|| title(args))?;
        (mesh, surface) = (made.mesh, Some(made.surface));
        lost |= made.lost;
    }
    if let Some(file) = &args.embed {
        mesh = tie(file, mesh, surface, &mut notes).with_context(|| title(args))?;
    }
    material(args, &mut mesh)?;
    fix(args, &mut mesh, &mut notes)?;

    let mut bar = context.bar();
    let report = doctor::examine(&mesh, &doctor::Options::default(), &mut |p| bar.tell(p))?;
    drop(bar);
    let mut files = Vec::new();
    let pictures: Vec<&PathBuf> = args.picture.iter().chain(draws.then_some(&args.output)).collect();
    if !pictures.is_empty() {
        let png = draw::mesh_picture(&mesh, &draw::Options::titled(title(args))).to_png();
        files.extend(pictures.into_iter().map(|path| (path.clone(), png.clone())));
    }
    if !draws {
        let saved = io::save(&args.output, &mesh, args.variant.as_deref());
        notes.extend(saved.with_context(|| args.output.display().to_string())?);
    }
    io::write_whole(&files).context("the picture was not written")?;

    let missed = args.elements.filter(|n| (report.elements as f64 / f64::from(*n) - 1.0).abs() > WITHIN);
    notes.extend(missed.map(|n| {
        format!(
            "{} elements were made where {n} were asked for: ask for more or fewer (--elements), or say how \
             large the cells are (--edge, --resolution)",
            report.elements
        )
    }));
    let warnings = super::info::warnings(&report, &notes);
    let told = of_mesh(&mesh, &report, &warnings);
    let mut json = told.to_json();
    json.insert("seconds".into(), json!(start.elapsed().as_secs_f64()));
    let title = format!("{}: written in {:.2} s", args.output.display(), start.elapsed().as_secs_f64());
    context.report(&Value::Object(json), &facts::text(&title, &told.rows(), &warnings))?;
    Ok(match missed.is_some() || lost {
        false => Status::Done,
        // People have read the notes in the report.
        true if !context.json() && !context.quiet() => Status::Missed,
        true => context.missed(&notes),
    })
}

fn is_png(path: &Path) -> bool {
    path.extension().is_some_and(|e| e.eq_ignore_ascii_case("png"))
}

/// What cannot be written is better known before the work than after it.
fn check_outputs(args: &Args, draws: bool) -> anyhow::Result<()> {
    if !draws {
        let format = io::format_of(&args.output)?;
        if let Some(variant) = args.variant.as_deref().filter(|v| !format.variants.contains(v)) {
            let known = format.variants.join(", ");
            bail!(
                "{}: {} has no variant {variant:?}; choose one of {known}",
                args.output.display(),
                format.title
            );
        }
    }
    if let Some(picture) = args.picture.as_ref().filter(|p| !is_png(p)) {
        bail!("{}: a picture is a .png file", picture.display());
    }
    for path in args.picture.iter().chain([&args.output]) {
        let folder = path.parent().filter(|f| !f.as_os_str().is_empty()).unwrap_or(Path::new("."));
        if !folder.is_dir() {
            bail!("{}: there is no folder {}; make it first", path.display(), folder.display());
        }
        if path.is_dir() {
            bail!("{}: this is a folder; name a file to write", path.display());
        }
    }
    Ok(())
}

/// How near `--elements` must be met, of the number asked for.
const WITHIN: f64 = 0.15;

/// What stands above a picture: the file or the shape that it shows.
fn title(args: &Args) -> String {
    let input = args.input.as_ref().and_then(|p| p.file_name()).and_then(|n| n.to_str());
    input.or(args.shape.as_deref()).unwrap_or("mesh").to_owned()
}

fn source(args: &Args, context: &Context) -> anyhow::Result<(MeshData, Vec<String>)> {
    match (&args.input, &args.shape) {
        (Some(path), _) => {
            let loaded = load_mesh(path, args.cubes.split())?;
            Ok((loaded.mesh, loaded.notes))
        }
        (None, Some(name)) => {
            let mut bar = context.bar();
            let options = ShapeOptions { subdivision: args.subdivision, ..ShapeOptions::default() };
            Ok((shapes::find(name)?.make(&options, &mut |p| bar.tell(p))?, Vec::new()))
        }
        (None, None) if args.embed.as_ref().is_some_and(|e| e.as_os_str() != "-") => bail!(
            "nothing to read: --embed took the file for its surface; name the mesh first, or write --embed=- to tie \
             the surface that the solid is made of"
        ),
        (None, None) => bail!("nothing to read: name a mesh file, or one of our shapes with --shape"),
    }
}

fn size(args: &Args) -> Size {
    match (args.resolution, args.edge, args.elements) {
        (Some(n), _, _) => Size::Resolution(n as usize),
        (_, Some(edge), _) => Size::Edge(edge),
        (_, _, Some(n)) => Size::Elements(n as usize),
        _ => Size::Auto,
    }
}

/// The surface with fewer vertices.
fn thin(
    vertices: usize,
    context: &Context,
    mesh: MeshData,
    notes: &mut Vec<String>,
) -> anyhow::Result<decimate::Decimated> {
    if mesh.kind() == Kind::Tets {
        bail!(
            "--decimate thins a surface, but this mesh is a solid; take its boundary first (`pliant mesh SOLID -o \
             surface.obj`), or make a coarser solid of that with --tets --elements N"
        );
    }
    let surface = sound_faces(mesh, notes)?;
    let mut bar = context.bar();
    let thinned = decimate::decimate(&surface, Target::Vertices(vertices), &mut |p| bar.tell(p))?;
    if !thinned.reached {
        notes.push(format!(
            "{} vertices are as few as it gets, {vertices} were asked for: no other edge can collapse without \
             changing the topology or turning a triangle over",
            thinned.surface.vertices().len()
        ));
    }
    Ok(thinned)
}

/// Solid that was made of a surface.
struct SolidMesh {
    mesh: MeshData,
    /// The surface that the solid was made of.
    surface: SurfaceMesh,
    /// Whether most of the body fell through the lattice: the cells are too large for it.
    lost: bool,
}

/// More of the volume than this may not be missing from a solid that is called done.
const MOST_LOST: f64 = 0.2;

fn solid(
    args: &Args,
    context: &Context,
    mesh: MeshData,
    notes: &mut Vec<String>,
) -> anyhow::Result<SolidMesh> {
    if mesh.kind() == Kind::Tets {
        bail!(
            "--tets makes a solid of a surface, but this mesh is a solid already; drop --tets to convert it"
        );
    }
    let surface = sound_faces(mesh, notes)?;
    let options = tetrahedralise::Options {
        size: size(args),
        cage: args.cage,
        keep_parts: args.keep_parts,
        ..tetrahedralise::Options::default()
    };
    let mut bar = context.bar();
    let made = tetrahedralise::tetrahedralise(&surface, &options, &mut |p| bar.tell(p))?;
    notes.extend(made.notes);
    let lost = !args.cage && made.volume_error.is_some_and(|e| e > MOST_LOST);
    if lost {
        notes.push(
            "the cells are too large for this body: make them smaller, or enclose it with --cage".into(),
        );
    }
    Ok(SolidMesh { mesh: made.mesh.into_data(), surface, lost })
}

/// A surface to be computed with: faces that name a corner twice are left out, and said.
fn sound_faces(mesh: MeshData, notes: &mut Vec<String>) -> anyhow::Result<SurfaceMesh> {
    let (surface, dropped) = SurfaceMesh::without_bad_faces(mesh)?;
    if dropped > 0 {
        notes.push(format!("{dropped} faces that name fewer than three different corners were left out"));
    }
    Ok(surface)
}

fn tie(
    file: &Path,
    mesh: MeshData,
    made_of: Option<SurfaceMesh>,
    notes: &mut Vec<String>,
) -> anyhow::Result<MeshData> {
    let surface = if file.as_os_str() == "-" {
        made_of.context("--embed needs the file of a surface, unless --tets makes the solid of one")?
    } else {
        let loaded = load_mesh(file, CubeSplit::default())?;
        notes.extend(loaded.notes);
        sound_faces(loaded.mesh, notes)?
    };
    let (solid, turned) = TetMesh::reoriented(mesh)?;
    if turned > 0 {
        notes.push(format!("{turned} inverted tets were turned around"));
    }
    let (solid, report) = embed::attach(solid, &surface)?;
    if report.outside > 0 {
        notes.push(format!(
            "{} of {} surface vertices lie outside the solid, at most {:.3e} m away; they follow the nearest tet",
            report.outside,
            surface.vertices().len(),
            report.largest_distance
        ));
    }
    Ok(solid.into_data())
}

fn material(args: &Args, mesh: &mut MeshData) -> anyhow::Result<()> {
    if args.young.is_none() && args.poisson.is_none() && args.density.is_none() {
        return Ok(());
    }
    if mesh.kind() != Kind::Tets {
        bail!("--young, --poisson and --density belong to a solid; make one with --tets");
    }
    // What is not given: what the file says of its only material, else the defaults of the contract.
    let (mut young, mut poisson, mut density) = (1e6, 0.45, 1000.0);
    if let [only] = &mesh.attributes.materials[..] {
        density = only.density;
        if let Some([e, nu]) = only.law.as_isotropic() {
            (young, poisson) = (e, nu);
        }
    }
    let law = Law::isotropic(args.young.unwrap_or(young), args.poisson.unwrap_or(poisson));
    let material = Material { name: "body".into(), density: args.density.unwrap_or(density), law };
    material.check().map_err(anyhow::Error::msg)?;
    let elements = mesh.elements.len();
    let a = &mut mesh.attributes;
    if a.regions.is_empty() {
        a.regions = vec![Region { name: "allElements".into(), material: None }];
        a.region_of = vec![0; elements];
    }
    a.materials = vec![material];
    a.regions.iter_mut().for_each(|r| r.material = Some(0));
    Ok(())
}

/// Puts the sets `fixed` that were asked for in the place of those that were there; `none` only clears them.
fn fix(args: &Args, mesh: &mut MeshData, notes: &mut Vec<String>) -> anyhow::Result<()> {
    if args.fix.is_empty() {
        return Ok(());
    }
    let chosen = args.fix.iter().map(|spec| select::select(mesh, spec)).collect::<Result<Vec<_>, _>>()?;
    mesh.attributes.sets.retain(|s| s.name != "fixed" && !s.name.starts_with("fixed:"));
    for (spec, chosen) in args.fix.iter().zip(chosen).filter(|(spec, _)| *spec != "none") {
        if chosen.vertices.is_empty() {
            notes.push(format!("--fix {spec:?} fixes nothing: no vertex is there"));
        }
        let suffix: String =
            ["x", "y", "z"].iter().zip(chosen.components).filter(|(_, on)| *on).map(|(c, _)| *c).collect();
        let name = if suffix == "xyz" { "fixed".to_owned() } else { format!("fixed:{suffix}") };
        add_to_set(&mut mesh.attributes, name, chosen.vertices);
    }
    Ok(())
}

fn add_to_set(attributes: &mut Attributes, name: String, vertices: Vec<u32>) {
    match attributes.sets.iter_mut().find(|s| s.name == name) {
        Some(set) => {
            set.vertices.extend(vertices);
            set.vertices.sort_unstable();
            set.vertices.dedup();
        }
        None => attributes.sets.push(VertexSet { name, vertices }),
    }
}
