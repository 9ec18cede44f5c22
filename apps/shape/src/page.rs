//! What was found, to be looked at: the surface from several sides, curves of chosen vertices, the spectrum.

use pliant_draw::{
    Camera, Card, ColourMap, Field, Image, Paint, Plot, Scene, Section, Severity, Style, html_page, palette,
};
use pliant_linalg::facts::Facts;
use pliant_linalg::{Cancelled, Progress, Vec3, Watch};

use crate::{Found, Kind};

/// Width and height of a card, pixels.
const CARD: [usize; 2] = [480, 400];

/// Curves on one plot.
const MOST_CURVES: usize = 8;

impl Found {
    /// What the colours show: the distance where there is one, white where it is 0; else S in the middle of the times.
    pub(crate) fn field(&self) -> (&'static str, Field) {
        let seen = |values: &[f64]| -> f64 {
            let on = (0..values.len() as u32).filter(|&v| self.skin.has(v)).map(|v| values[v as usize]);
            on.filter(|x| x.is_finite()).fold(0.0, f64::max)
        };
        if let Some(distance) = &self.distance {
            let range = [0.0, seen(distance).max(f64::MIN_POSITIVE)];
            let field =
                Field { range, map: ColourMap::Difference, ..Field::new(distance.clone(), "distance") };
            return ("distance", field);
        }
        let values = match &self.signature {
            Some(signature) => signature.at_time(self.times.len() / 2).to_vec(),
            None => vec![f64::NAN; self.skin.rest.len()],
        };
        let range = [0.0, seen(&values).max(f64::MIN_POSITIVE)];
        let label = match self.request.kind {
            Kind::Vibration => "signature, 1/kg",
            Kind::Heat => "signature, 1/m²",
        };
        ("signature", Field { range, ..Field::new(values, label) })
    }

    /// From one side.
    fn view(&self, azimuth: f64, labelled: bool, width: usize, height: usize) -> Image {
        let (_, mut field) = self.field();
        if !labelled {
            field.label = String::new();
        }
        let style = Style { back: palette::PALE, ..Style::default().painted(Paint::Field(field)).plain() };
        let places = |vertices: &[u32]| -> Vec<Vec3> {
            vertices.iter().map(|&v| self.skin.rest[v as usize]).collect()
        };
        let mut scene = Scene::new().surface(&self.skin.rest, &self.skin.triangles, &style);
        let alike: Vec<u32> = self.alike.iter().map(|a| a.vertex).collect();
        let features: Vec<u32> = self.features.iter().map(|f| f.vertex).collect();
        for (vertices, colour) in [
            (&features, palette::MARKS[4]),
            (&alike, palette::MARKS[2]),
            (&self.request.from, palette::MARKS[1]),
        ] {
            if !vertices.is_empty() {
                scene = scene.marks(&places(vertices), colour, 4.0);
            }
        }
        let camera = Camera { margin: 0.1, ..Camera::fit().turn(azimuth, 15.0) };
        scene.camera(camera).render(width, height)
    }
}

/// From the front and from behind.
pub(crate) fn picture(found: &Found, title: &str) -> Image {
    let caption = match found.distance {
        Some(_) => format!("{title}: {} distance", found.request.kind.name()),
        None => format!("{title}: {} signature", found.request.kind.name()),
    };
    let [width, height] = CARD;
    let front = found.view(30.0, false, width, height).captioned(&caption);
    Image::beside(&[front, found.view(210.0, true, width, height).captioned("from behind")])
}

/// The page.
pub(crate) fn page(
    found: &Found,
    title: &str,
    facts: &Facts,
    warnings: &[String],
    watch: &mut Watch<'_>,
) -> Result<String, Cancelled> {
    let mut sections = Vec::new();
    if !warnings.is_empty() {
        let all = warnings.iter().map(|w| (Severity::Warning, w.clone())).collect();
        sections.push(Section::Findings(all));
    }
    if found.signature.is_some() {
        let sides = [(30.0, "front"), (120.0, "right"), (210.0, "behind"), (300.0, "left")];
        let mut cards = Vec::new();
        for (k, (azimuth, side)) in sides.into_iter().enumerate() {
            Progress { stage: "pictures", done: k, total: sides.len() }.tell(watch)?;
            let png = found.view(azimuth, k == 0, CARD[0], CARD[1]).to_png();
            cards.push(Card { png, title: side.into(), facts: Vec::new() });
        }
        sections.push(Section::Gallery(cards));
        let words = match found.distance {
            Some(_) => {
                "White is alike, red is different; blue dots are what distances are measured from, green ones places that \
                        are alike, orange ones feature points."
            }
            None => "The signature in the middle of the times; orange dots are feature points.",
        };
        sections.push(Section::Text(words.into()));
    }
    sections.push(Section::Facts(facts.rows()));
    sections.extend(curves(found));
    let spectrum: Vec<[f64; 2]> = (1..).zip(&found.eigenvalues).map(|(k, x)| [f64::from(k), *x]).collect();
    if spectrum.len() > 1 {
        let unit = found.request.kind.unit();
        let plot = Plot::new("").x("mode").y(format!("λ, {unit}")).log_y().dots("eigenvalue", &spectrum);
        sections.push(Section::Heading("Spectrum".into()));
        sections.push(Section::Plot(plot, String::new()));
    }
    let subtitle = format!("{} modes, {} times", found.eigenvalues.len(), found.times.len());
    Ok(html_page(&format!("{} signature of {title}", found.request.kind.name()), &subtitle, &sections))
}

/// S of the chosen vertices over time.
fn curves(found: &Found) -> Vec<Section> {
    let vertices = found.vertices();
    if vertices.is_empty() {
        return Vec::new();
    }
    let unit = if found.request.kind == Kind::Heat { "t, m²" } else { "t, s²" };
    let mut plot = Plot::new("").x(unit).y("S").log_x().log_y();
    for (v, values) in vertices.iter().zip(found.told_of(&vertices)).take(MOST_CURVES) {
        let points: Vec<[f64; 2]> = found.times.iter().zip(&values).map(|(&t, &s)| [t, s]).collect();
        plot = plot.curve(format!("vertex {v}"), &points);
    }
    vec![Section::Heading("Signature".into()), Section::Plot(plot, String::new())]
}
