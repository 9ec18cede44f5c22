//! Curves: a plot as SVG text, for a page or a file of its own.
//!
//! Made to be read at 720 × 400: few round numbers at the axes, on logarithmic ones powers of ten, thin level lines, the
//! legend above the curves and never on them, the words of an axis at its end. Colours are the marks of [`palette`],
//! dark words on white; a page turns them around where the reader likes it dark. Points that are not finite (or not
//! positive on a logarithmic axis) are gaps. The same plot gives the same bytes.
//!
//! ```
//! use pliant_draw::Plot;
//! let swing: Vec<[f64; 2]> = (0..100).map(|i| f64::from(i) / 50.0).map(|t| [t, (9.0 * t).sin()]).collect();
//! let svg = Plot::new("A swing").x("time, s").y("tip, m").curve("damped", &swing).to_svg();
//! assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
//! ```

use plotters::prelude::*;
use plotters::style::FontStyle;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use crate::Colour;
use crate::image::palette;
use crate::page::scale::Scale;

/// The drawing crate underneath has whole pixels: everything is drawn so many times larger and shown smaller.
const FINE: i32 = 10;
/// Pixels: free space left and right, height of a line of the legend.
const LEFT: i32 = 14;
const RIGHT: i32 = 22;
const ROW: i32 = 20;
const FONT: &str = "system-ui, sans-serif";

/// A plot to be.
#[derive(Clone, Debug, PartialEq)]
#[must_use = "nothing is drawn until `.to_svg()`"]
pub struct Plot {
    title: String,
    axes: [Axis; 2],
    curves: Vec<Curve>,
    size: [u32; 2],
}

#[derive(Clone, Debug, Default, PartialEq)]
struct Axis {
    label: String,
    log: bool,
}

#[derive(Clone, Debug, PartialEq)]
struct Curve {
    name: String,
    points: Vec<[f64; 2]>,
    look: Look,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Look {
    Line,
    Dashed,
    Dots,
}

impl Plot {
    /// A plot without curves, 720 × 400. An empty title takes no room.
    pub fn new(title: impl Into<String>) -> Self {
        Self { title: title.into(), axes: Default::default(), curves: Vec::new(), size: [720, 400] }
    }

    /// What runs to the right, with its unit: `time, s`.
    pub fn x(mut self, label: impl Into<String>) -> Self {
        self.axes[0].label = label.into();
        self
    }

    /// What the vertical axis shows, with its unit.
    pub fn y(mut self, label: impl Into<String>) -> Self {
        self.axes[1].label = label.into();
        self
    }

    /// Makes the axis to the right logarithmic.
    pub fn log_x(mut self) -> Self {
        self.axes[0].log = true;
        self
    }

    /// Makes the vertical axis logarithmic.
    pub fn log_y(mut self) -> Self {
        self.axes[1].log = true;
        self
    }

    /// Adds a line through points.
    pub fn curve(self, name: impl Into<String>, points: &[[f64; 2]]) -> Self {
        self.with(name.into(), points, Look::Line)
    }

    /// Adds a dashed line, for what others are measured against.
    pub fn dashed(self, name: impl Into<String>, points: &[[f64; 2]]) -> Self {
        self.with(name.into(), points, Look::Dashed)
    }

    /// Adds single points.
    pub fn dots(self, name: impl Into<String>, points: &[[f64; 2]]) -> Self {
        self.with(name.into(), points, Look::Dots)
    }

    /// Width and height in pixels; held between 200 and 4000.
    pub fn size(mut self, width: u32, height: u32) -> Self {
        self.size = [width, height].map(|n| n.clamp(200, 4000));
        self
    }

    fn with(mut self, name: String, points: &[[f64; 2]], look: Look) -> Self {
        self.curves.push(Curve { name, points: points.to_vec(), look });
        self
    }

    /// The plot as an SVG document.
    pub fn to_svg(&self) -> String {
        let mut svg = String::new();
        let [width, height] = self.size.map(|n| n * FINE as u32);
        {
            let root = SVGBackend::with_string(&mut svg, (width, height)).into_drawing_area();
            self.draw(&root).expect("drawing into memory does not fail");
        }
        self.framed(&svg)
    }

    fn draw<B: DrawingBackend>(
        &self,
        root: &DrawingArea<B, plotters::coord::Shift>,
    ) -> Result<(), DrawingAreaErrorKind<B::ErrorType>> {
        let axis = |i: usize| {
            let values = self.curves.iter().flat_map(|c| c.points.iter().map(move |p| p[i]));
            Scale::around(values, self.axes[i].log, i == 1)
        };
        let (x, y) = (axis(0), axis(1));
        root.fill(&WHITE)?;
        // Words first, from above.
        let mut top = 12;
        if !self.title.is_empty() {
            let font = (FONT, 15.0 * f64::from(FINE)).into_font().style(FontStyle::Bold);
            let style = font.color(&rgb(palette::TEXT)).pos(Pos::new(HPos::Left, VPos::Top));
            root.draw_text(&self.title, &style, (LEFT * FINE, top * FINE))?;
            top += 26;
        }
        if self.curves.len() > 1 {
            top = self.legend(root, top)?;
        }
        if !self.axes[1].label.is_empty() {
            let style = words(12.0, palette::QUIET).pos(Pos::new(HPos::Left, VPos::Top));
            root.draw_text(&self.axes[1].label, &style, (LEFT * FINE, top * FINE))?;
            top += 20;
        }
        let labels = y.ticks().iter().map(|t| y.label(*t).chars().count()).max().unwrap_or(1);
        let (_, below) = root.split_vertically(top * FINE);
        let mut chart = ChartBuilder::on(&below)
            .margin_left(4 * FINE)
            .margin_right(RIGHT * FINE)
            .margin_top(6 * FINE)
            .margin_bottom(6 * FINE)
            .x_label_area_size((if self.axes[0].label.is_empty() { 24 } else { 40 }) * FINE)
            .y_label_area_size((18 + 7 * labels as i32) * FINE)
            .build_cartesian_2d(x.clone(), y.clone())?;
        let quiet = words(12.0, palette::QUIET);
        chart
            .configure_mesh()
            .disable_x_mesh()
            .bold_line_style(line(Colour::hex(0xe7_ebef), 1.0))
            .light_line_style(TRANSPARENT)
            .axis_style(line(Colour::hex(0xc3_ccd4), 1.0))
            .set_all_tick_mark_size(4 * FINE)
            .label_style(quiet.clone())
            .axis_desc_style(quiet)
            .x_label_formatter(&|t| x.label(*t))
            .y_label_formatter(&|t| y.label(*t))
            .x_desc(self.axes[0].label.as_str())
            .draw()?;
        for (i, curve) in self.curves.iter().enumerate() {
            let style = line(colour(i), 1.8);
            for run in curve.runs(&x, &y, self.size[0] as usize) {
                let run = run.into_iter().map(|[x, y]| (x, y));
                match curve.look {
                    Look::Line => chart.draw_series(LineSeries::new(run, style))?,
                    Look::Dashed => {
                        chart.draw_series(DashedLineSeries::new(run, 7 * FINE, 5 * FINE, style))?
                    }
                    Look::Dots => {
                        let dot = |p| Circle::new(p, 3 * FINE, rgb(colour(i)).filled());
                        chart.draw_series(run.map(dot))?
                    }
                };
            }
        }
        root.present()
    }

    /// The names of the curves in rows, each behind a piece of its line; returns where the next words go.
    fn legend<B: DrawingBackend>(
        &self,
        root: &DrawingArea<B, plotters::coord::Shift>,
        mut top: i32,
    ) -> Result<i32, DrawingAreaErrorKind<B::ErrorType>> {
        let mut left = LEFT;
        for (i, curve) in self.curves.iter().enumerate() {
            let width = 28 + (6.6 * curve.name.chars().count() as f64) as i32 + 18;
            if left > LEFT && left + width > self.size[0] as i32 - RIGHT {
                (left, top) = (LEFT, top + ROW);
            }
            let middle = (top + 7) * FINE;
            let piece = |a: i32, b: i32| {
                let ends = vec![((left + a) * FINE, middle), ((left + b) * FINE, middle)];
                PathElement::new(ends, line(colour(i), 2.4))
            };
            match curve.look {
                Look::Line => root.draw(&piece(0, 20))?,
                Look::Dashed => {
                    root.draw(&piece(0, 7))?;
                    root.draw(&piece(12, 19))?;
                }
                Look::Dots => {
                    let place = ((left + 10) * FINE, middle);
                    root.draw(&Circle::new(place, 35, rgb(colour(i)).filled()))?;
                }
            }
            let style = words(12.5, palette::TEXT).pos(Pos::new(HPos::Left, VPos::Center));
            root.draw_text(&curve.name, &style, ((left + 27) * FINE, middle))?;
            left += width;
        }
        Ok(top + ROW + 4)
    }

    /// The document with its size in pixels, and the title for those who do not see it.
    fn framed(&self, svg: &str) -> String {
        let [width, height] = self.size;
        let body = svg.split_once('>').map_or("", |(_, body)| body).trim_start();
        let title = crate::page::escaped(&self.title);
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {} {}\" role=\"img\" stroke-linejoin=\"round\" stroke-linecap=\"round\">\n\
             <title>{title}</title>\n{body}\n",
            width * FINE as u32,
            height * FINE as u32
        )
        .replace("</svg>\n\n", "</svg>\n")
    }
}

impl Curve {
    /// The curve without its gaps, in pieces, on the scales; lines are thinned to what can be seen.
    fn runs(&self, x: &Scale, y: &Scale, columns: usize) -> Vec<Vec<[f64; 2]>> {
        let placed: Vec<Option<[f64; 2]>> =
            self.points.iter().map(|p| Some([x.place(p[0])?, y.place(p[1])?])).collect();
        let runs = placed.split(Option::is_none).map(|run| run.iter().copied().flatten().collect());
        let runs: Vec<Vec<[f64; 2]>> = runs.filter(|run: &Vec<_>| !run.is_empty()).collect();
        if self.look == Look::Dots {
            return runs;
        }
        runs.into_iter().map(|run| thinned(run, 2 * columns)).collect()
    }
}

/// A line of many points with the first, lowest, highest and last of each of so many pieces: it looks the same.
fn thinned(run: Vec<[f64; 2]>, pieces: usize) -> Vec<[f64; 2]> {
    if run.len() <= 4 * pieces {
        return run;
    }
    let mut kept = Vec::with_capacity(4 * pieces);
    for piece in run.chunks(run.len().div_ceil(pieces)) {
        let by = |a: &&usize, b: &&usize| piece[**a][1].total_cmp(&piece[**b][1]);
        let all: Vec<usize> = (0..piece.len()).collect();
        let extremes = [all.iter().min_by(by), all.iter().max_by(by)].into_iter().flatten();
        let mut chosen: Vec<usize> = extremes.copied().chain([0, piece.len() - 1]).collect();
        chosen.sort_unstable();
        chosen.dedup();
        kept.extend(chosen.into_iter().map(|i| piece[i]));
    }
    kept
}

/// Blue first: the first curve is often the only one, and vermilion is for what is wrong. Yellow is not for thin lines.
fn colour(i: usize) -> Colour {
    const ORDER: [usize; 7] = [1, 0, 2, 3, 4, 5, 6];
    palette::MARKS[ORDER[i % ORDER.len()]]
}

fn rgb(c: Colour) -> RGBColor {
    RGBColor(c.r, c.g, c.b)
}

fn line(c: Colour, width: f64) -> ShapeStyle {
    rgb(c).stroke_width((width * f64::from(FINE)) as u32)
}

fn words(size: f64, c: Colour) -> TextStyle<'static> {
    (FONT, size * f64::from(FINE)).into_font().color(&rgb(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn swing() -> Vec<[f64; 2]> {
        (0..400).map(|i| f64::from(i) / 100.0).map(|t| [t, (9.0 * t).sin() * (-t).exp()]).collect()
    }

    #[test]
    fn the_same_plot_is_the_same_bytes() {
        let plot =
            || Plot::new("t").x("a").y("b").curve("one", &swing()).dashed("two", &[[0.0, 0.0], [4.0, 1.0]]);
        assert_eq!(plot().to_svg(), plot().to_svg());
    }

    #[test]
    fn every_curve_has_a_line_and_a_name_and_nothing_is_markup() {
        let svg =
            Plot::new("<b>").curve("a & b", &swing()).curve("c", &swing()).dots("d", &[[1.0, 1.0]]).to_svg();
        for text in ["&lt;b&gt;", "a &amp; b", "viewBox=\"0 0 7200 4000\"", "width=\"720\""] {
            assert!(svg.contains(text), "{text} is not in {svg}");
        }
        // A long line for each of the two curves.
        assert_eq!(svg.lines().filter(|l| l.starts_with("<polyline") && l.len() > 1000).count(), 2);
        assert!(svg.contains("<circle") && !svg.contains("<b>") && !svg.contains("NaN"));
        assert_eq!(svg.matches("<svg").count(), 1);
    }

    #[test]
    fn a_curve_has_its_highest_point_above_its_lowest() {
        let svg = Plot::new("").curve("", &[[0.0, 0.0], [1.0, 2.0], [2.0, 1.0]]).to_svg();
        let points = svg
            .split("points=\"")
            .filter_map(|p| p.split('"').next())
            .find(|p| p.split_whitespace().count() == 3);
        let points: Vec<Vec<f64>> = points
            .unwrap()
            .split_whitespace()
            .map(|p| p.split(',').map(|x| x.parse().unwrap()).collect())
            .collect();
        assert!((points[1][0] - (points[0][0] + points[2][0]) / 2.0).abs() <= 1.0, "{points:?}");
        // Down is positive in a picture: 0, 2, 1.
        let [a, b, c] = [points[0][1], points[1][1], points[2][1]];
        assert!(b < c && c < a && ((a - c) - (c - b)).abs() <= 2.0, "{points:?}");
    }

    #[test]
    fn gaps_and_nothing_at_all() {
        let nan = f64::NAN;
        let curve = Curve {
            name: String::new(),
            points: vec![[0.0, 1.0], [1.0, nan], [2.0, 1.0], [3.0, -1.0], [4.0, 1.0]],
            look: Look::Line,
        };
        let runs = |log: bool| {
            let values = |i: usize| curve.points.iter().map(move |p| p[i]);
            curve
                .runs(&Scale::around(values(0), false, false), &Scale::around(values(1), log, true), 100)
                .len()
        };
        assert_eq!((runs(false), runs(true)), (2, 3));
        for plot in
            [Plot::new(""), Plot::new("").curve("x", &[]), Plot::new("").log_y().curve("x", &[[0.0, nan]])]
        {
            assert!(plot.to_svg().len() > 200);
        }
        for extreme in
            [[[0.0, 1e308], [1.0, -1e308]], [[1.0, 1.0], [1.0, 1.0]], [[1e-300, 1e-300], [2e-300, 1e-299]]]
        {
            for plot in [Plot::new("").curve("", &extreme), Plot::new("").log_x().log_y().curve("", &extreme)]
            {
                let svg = plot.to_svg();
                assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
            }
        }
    }

    #[test]
    fn many_points_become_few_and_keep_their_peaks() {
        let mut points: Vec<[f64; 2]> = (0..1_000_000).map(|i| [f64::from(i), 0.0]).collect();
        points[345_678][1] = 7.0;
        let thin = thinned(points, 1440);
        assert!(thin.len() <= 4 * 1440 && thin.contains(&[345_678.0, 7.0]));
        assert!(thin.is_sorted_by(|a, b| a[0] < b[0]));
        assert_eq!((thin[0][0], thin[thin.len() - 1][0]), (0.0, 999_999.0));
    }
}
