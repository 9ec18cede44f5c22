//! `pliant signature`: which places of a shape vibrate alike.

use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context as _, bail};
use pliant::linalg::{quote, shown};
use pliant::shape::{Kind, Request, Threshold, Times, check_ending};
use pliant::world::OpenError;

use crate::body::BodyArgs;
use crate::context::{Context, Status};
use crate::files::check_folder;
use crate::numbers;

/// Which places of a shape vibrate alike: the vibration signature of every vertex, and how far vertices are from each other.
#[derive(clap::Args)]
#[command(after_help = "EXAMPLES
  pliant signature hand.obj --from 812 -o alike.html           how alike all places are to vertex 812
  pliant signature hand.obj --from 812 --alike 4 --json        the four places that are most alike
  pliant signature hand.obj --from 812 --threshold 4% -o feet.ply
  pliant signature hand.obj --kind heat --from 812 -o heat.png the same by heat, which does not see how it is bent
  pliant signature hand.obj --features --times 0.01,0.1        tips, at small scales
  pliant signature hand.obj --at 3,812 --exact -o curves.csv   of a few vertices, without modes
  pliant signature big.ply --coarse 10000 --from 5 -o fast.glb by a thinned surface")]
pub(crate) struct Args {
    /// Mesh of the body; any format that `pliant formats` lists.
    #[arg(value_name = "MESH")]
    mesh: PathBuf,
    /// What flows through it: `vibration` sees how it is bent, `heat` sees distances within the surface alone.
    #[arg(long, value_name = "KIND", default_value = "vibration", value_parser = ["vibration", "heat"])]
    kind: String,
    /// How many modes; rigid ones are not counted [default: 300, or all there are].
    #[arg(long, value_name = "K", value_parser = numbers::size)]
    modes: Option<usize>,
    /// Rigid motions are part of the signature.
    #[arg(long)]
    rigid: bool,
    /// Times in units of the slowest mode: from, to, and how many [default: from the fastest mode to the slowest, 101].
    #[arg(long, value_name = "A,B[,N]", allow_hyphen_values = true, conflicts_with = "t")]
    times: Option<String>,
    /// Times as they are, s² (heat: m²), with commas between.
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    t: Option<String>,
    /// Vertices whose signature is told, with commas between.
    #[arg(long, value_name = "IDS")]
    at: Option<String>,
    /// Vertices that distances are measured from, with commas between; of several the nearest counts.
    #[arg(long, value_name = "IDS")]
    from: Option<String>,
    /// Regions nearer than this: a distance, or a share of the area such as `4%`. May be repeated.
    #[arg(long, value_name = "X", allow_hyphen_values = true)]
    threshold: Vec<String>,
    /// How many places that are most alike.
    #[arg(long, value_name = "N", default_value = "0", value_parser = numbers::size, hide_default_value = true)]
    alike: usize,
    /// Look for feature points: tips that stand out in the signature for a while.
    #[arg(long)]
    features: bool,
    /// How far features, and places that are alike, stand out at least, as a share of the range.
    #[arg(long, value_name = "SHARE", default_value = "0.05", allow_negative_numbers = true)]
    persistence: f64,
    /// Only the vertices of --at, without modes and without cutting anything off.
    #[arg(long)]
    exact: bool,
    /// Relative accuracy of --exact.
    #[arg(long, value_name = "TOL", default_value = "1e-6", allow_negative_numbers = true)]
    tolerance: f64,
    /// By a surface that is thinned to so many vertices.
    #[arg(long, value_name = "N", value_parser = numbers::size)]
    coarse: Option<usize>,
    /// Hold the thinned surface against the fine one at ten vertices.
    #[arg(long)]
    check: bool,
    /// Modes of this body that `pliant modes` has written (.npz).
    #[arg(long, value_name = "FILE")]
    cache: Option<PathBuf>,
    /// Where to write it: `.ply` or `.glb` (painted), `.npz`, `.csv`, `.png` or `.html`.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    body: BodyArgs,
}

impl Args {
    fn request(&self) -> anyhow::Result<Request> {
        Ok(Request {
            kind: Kind::named(&self.kind).unwrap_or_default(),
            modes: self.modes,
            rigid: self.rigid.then_some(true),
            times: self.looked_at()?,
            at: ids("--at", self.at.as_deref())?,
            from: ids("--from", self.from.as_deref())?,
            thresholds: self.threshold.iter().map(|text| threshold(text)).collect::<Result<_, _>>()?,
            alike: self.alike,
            features: self.features,
            persistence: self.persistence,
            exact: self.exact,
            tolerance: self.tolerance,
            coarse: self.coarse,
            check: self.check,
            cache: self.cache.clone(),
        })
    }

    fn looked_at(&self) -> anyhow::Result<Times> {
        if let Some(text) = &self.t {
            return Ok(Times::Absolute(list("--t", text, "times with commas between, such as 0.1,1,10")?));
        }
        let Some(text) = &self.times else { return Ok(Times::Usual) };
        let expected = "A,B or A,B,N, such as 0.01,9 or 0.01,9,50";
        let parts: Vec<&str> = text.split(',').collect();
        let bounds: Vec<f64> = list("--times", &parts[..parts.len().min(2)].join(","), expected)?;
        match (&*bounds, &parts[bounds.len().min(parts.len())..]) {
            (&[from, to], []) => Ok(Times::Relative { from, to, count: pliant::shape::SAMPLES }),
            (&[from, to], [count]) => match numbers::size(count) {
                Ok(count) => Ok(Times::Relative { from, to, count }),
                Err(why) => bail!("--times {}: how many: {why}", quote(text)),
            },
            _ => bail!("--times {}: expected {expected}", quote(text)),
        }
    }
}

pub(crate) fn run(args: &Args, context: &mut Context) -> anyhow::Result<Status> {
    let start = Instant::now();
    let request = args.request()?;
    if let Some(path) = &args.output {
        check_folder(path)?;
        check_ending(path, request.exact)?;
    }
    let here = || shown(&args.mesh);
    let mut bar = context.bar();
    let mut watch = |p| bar.tell(p);
    let mut warnings = Vec::new();
    let mut options = args.body.options()?;
    Request::suit(&mut options.recipe);
    let body = args.body.make(&args.mesh, &options, context, &mut warnings, &mut watch)?;
    let found = match request.run(&body.mesh, &body.recipe, &body.body, &mut watch).map_err(OpenError::from) {
        // Not bad input: the work could not be done to the standard asked.
        Err(error) if error.is_missed() => return Ok(context.missed(&[format!("{}: {error}", here())])),
        other => other.with_context(here)?,
    };
    let words = context.words();
    warnings.extend(words.notes(&found.warnings));
    warnings.extend(words.notes(&found.missed));
    let facts = found.facts(start.elapsed().as_secs_f64());
    if let Some(path) = &args.output {
        let title =
            args.mesh.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        found.save(path, &title, &facts, &warnings, &mut watch)?;
    }
    drop(bar);
    context.reported(facts, warnings, !found.missed.is_empty())
}

/// Ids with commas between.
fn ids(option: &str, text: Option<&str>) -> anyhow::Result<Vec<u32>> {
    let Some(text) = text else { return Ok(Vec::new()) };
    list(option, text, "vertices with commas between, such as 3,17")
}

fn list<T: std::str::FromStr>(option: &str, text: &str, expected: &str) -> anyhow::Result<Vec<T>> {
    let numbers: Result<Vec<T>, _> = text.split(',').map(|x| x.trim().parse()).collect();
    numbers.or_else(|_| bail!("{option} {}: expected {expected}", quote(text)))
}

fn threshold(text: &str) -> anyhow::Result<Threshold> {
    let (number, share) = text.strip_suffix('%').map_or((text, false), |number| (number, true));
    match number.trim().parse::<f64>() {
        Ok(x) if share => Ok(Threshold::Share(x / 100.0)),
        Ok(x) => Ok(Threshold::Distance(x)),
        Err(_) => bail!("--threshold {}: expected a distance, or a share such as 4%", quote(text)),
    }
}
