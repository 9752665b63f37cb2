//! Figures as SVG, by the `plotters` crate: for papers (`--svg`), and small in tables.

use super::figure::{Axis, Colour, Figure, HEAT, Layer, Mark, Stroke, is_finite, stairs};
use anyhow::{Result, anyhow};
use plotters::coord::Shift;
use plotters::coord::ranged1d::{DefaultFormatting, KeyPointHint, Ranged};
use plotters::element::DashedPathElement;
use plotters::prelude::*;
use std::ops::Range;
use threshnet::format::short;

const SIZE: (u32, u32) = (640, 420);
const SMALL: (f64, f64) = (120.0, 36.0);
const FONT: &str = "sans-serif";
/// So many widths of an axis from its beginning is as far away as anything is drawn.
const OUTSIDE: f64 = 10.0;

/// The whole figure.
pub fn drawing(figure: &Figure) -> Result<String> {
    let mut text = String::new();
    {
        let area = SVGBackend::with_string(&mut text, SIZE).into_drawing_area();
        draw(&figure.visible(), &area).map_err(|error| anyhow!("figure {}: {error}", figure.id))?;
    }
    Ok(text)
}

/// A line alone, or dots that have no order, small, for a cell of a table; it takes the colour of the
/// text there.
pub fn sparkline(points: &[(f64, f64)], (y0, y1): (f64, f64), are_dots: bool) -> String {
    let (width, height) = SMALL;
    let x = |at: Option<&(f64, f64)>| at.map_or(0.0, |(x, _)| *x);
    let (x0, x1) = (x(points.first()), x(points.last()));
    let share = |v: f64, a: f64, b: f64| if b > a { (v - a) / (b - a) } else { 0.5 };
    let scaled = |&(x, y): &(f64, f64)| {
        let x = 2.0 + share(x, x0, x1) * (width - 4.0);
        let y = 2.0 + (1.0 - share(y, y0, y1)) * (height - 4.0);
        (x, y)
    };
    let places = points.iter().map(scaled);
    let drawn: String = match are_dots {
        true => places
            .map(|(x, y)| format!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"2.5\"/>"))
            .collect(),
        false => {
            let points: Vec<String> = places.map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
            format!("<polyline points=\"{}\"/>", points.join(" "))
        }
    };
    format!(
        "<svg class=\"spark\" viewBox=\"0 0 {width} {height}\" aria-hidden=\"true\">{drawn}</svg>"
    )
}

/// An axis as `plotters` wants it: numbers on a log scale are their logarithms.
#[derive(Clone)]
struct Scale<'a> {
    axis: &'a Axis,
    range: Range<f64>,
}

impl<'a> Scale<'a> {
    fn new(axis: &'a Axis, (from, to): (f64, f64)) -> Self {
        let (from, to) = (axis.place(from), axis.place(to));
        let margin = match axis.range {
            Some(_) => 0.0,
            None if to > from => 0.03 * (to - from),
            None => 0.5,
        };
        Scale {
            axis,
            range: from - margin..to + margin,
        }
    }

    fn label(&self, place: f64) -> String {
        let distance = |tick: &&(f64, String)| (tick.0 - place).abs();
        let ticks = self.axis.ticks.iter();
        match ticks.min_by(|a, b| distance(a).total_cmp(&distance(b))) {
            Some((_, label)) => label.clone(),
            None if self.axis.log => short(10f64.powf(place)),
            None => trimmed(place),
        }
    }
}

impl Ranged for Scale<'_> {
    type FormatOption = DefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        let share = (value - self.range.start) / (self.range.end - self.range.start);
        // (what is far outside stays outside, and within what a pixel's number can hold)
        let share = share.clamp(-OUTSIDE, OUTSIDE);
        limit.0 + (share * f64::from(limit.1 - limit.0)).round() as i32
    }

    /// The marks of the axis, or round numbers.
    fn key_points<Hint: KeyPointHint>(&self, _: Hint) -> Vec<f64> {
        if !self.axis.ticks.is_empty() {
            let ticks = self.axis.ticks.iter();
            return ticks.map(|(at, _)| self.axis.place(*at)).collect();
        }
        let step = nice((self.range.end - self.range.start) / 5.0);
        // (between numbers that are next to each other there are no round ones)
        if !(step.is_finite() && step > f64::MIN_POSITIVE) {
            return vec![];
        }
        let first = (self.range.start / step).ceil() as i64;
        let last = (self.range.end / step).floor() as i64;
        (first..=last).map(|k| k as f64 * step).collect()
    }

    fn range(&self) -> Range<f64> {
        self.range.clone()
    }
}

/// The next 1, 2 or 5 times a power of ten.
fn nice(step: f64) -> f64 {
    let power = 10f64.powf(step.log10().floor());
    let digit = [1.0, 2.0, 5.0, 10.0]
        .into_iter()
        .find(|d| d * power >= step * 0.999);
    digit.unwrap_or(10.0) * power
}

/// A few digits, without zeros behind.
fn trimmed(value: f64) -> String {
    let text = short(value);
    match text.contains('.') && !text.contains('e') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_string(),
        false => text,
    }
}

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Failed = Box<dyn std::error::Error>;

fn draw(figure: &Figure, area: &Area) -> std::result::Result<(), Failed> {
    area.fill(&WHITE)?;
    let (x_extent, y_extent) = figure.extent();
    let x = Scale::new(&figure.x, x_extent);
    let y = Scale::new(&figure.y, y_extent);
    let mut chart = ChartBuilder::on(area)
        .caption(caption(figure), (FONT, 16))
        .margin(12)
        .x_label_area_size(44)
        .y_label_area_size(72)
        .build_cartesian_2d(x.clone(), y.clone())?;
    chart
        .configure_mesh()
        .x_desc(&figure.x.label)
        .y_desc(&figure.y.label)
        .light_line_style(TRANSPARENT)
        .bold_line_style(RGBColor(230, 230, 230))
        .axis_desc_style((FONT, 13))
        .label_style((FONT, 11))
        .x_label_formatter(&|place| x.label(*place))
        .y_label_formatter(&|place| y.label(*place))
        .draw()?;
    let place = |points: &[(f64, f64)]| -> Vec<(f64, f64)> {
        let finite = points.iter().filter(|point| is_finite(point));
        let placed = |(a, b): &(f64, f64)| (figure.x.place(*a), figure.y.place(*b));
        finite.map(placed).collect()
    };
    for layer in &figure.layers {
        match layer {
            Layer::Line {
                name,
                points,
                stroke,
                steps,
                told,
            } => {
                let points = match steps {
                    true => stairs(points),
                    false => points.clone(),
                };
                // (a line has gaps where there is no number)
                let parts = points.split(|point| !is_finite(point));
                let parts = parts.filter(|part| !part.is_empty()).map(place);
                let style = style(*stroke);
                let drawn = match stroke.dashed {
                    true => chart
                        .draw_series(parts.map(|part| DashedPathElement::new(part, 6, 4, style)))?,
                    false => chart.draw_series(parts.map(|part| PathElement::new(part, style)))?,
                };
                if *told {
                    drawn
                        .label(name)
                        .legend(move |(x, y)| PathElement::new(vec![(x, y), (x + 18, y)], style));
                }
            }
            Layer::Points {
                name,
                points,
                colour,
                bars,
                mark,
                told,
            } => {
                let colour = rgb(*colour);
                for ((x0, _), (low, high)) in points.iter().zip(bars) {
                    let bar = place(&[(*x0, *low), (*x0, *high)]);
                    chart.draw_series([PathElement::new(bar, colour)])?;
                }
                let (size, style): (i32, ShapeStyle) = match mark {
                    Mark::Dot => (3, colour.mix(0.7).filled()),
                    Mark::Star => (7, colour.stroke_width(2)),
                    Mark::Tick => (3, colour.stroke_width(1)),
                };
                let at = place(points).into_iter();
                let drawn = match mark {
                    Mark::Tick => chart.draw_series(at.map(|at| {
                        EmptyElement::at(at) + PathElement::new(vec![(0, -size), (0, size)], style)
                    }))?,
                    Mark::Dot | Mark::Star => {
                        chart.draw_series(at.map(|at| Circle::new(at, size, style)))?
                    }
                };
                if *told {
                    drawn
                        .label(name)
                        .legend(move |(x, y)| Circle::new((x + 9, y), 3, style));
                }
            }
            Layer::Band {
                name,
                x: along,
                low,
                high,
                colour,
                told,
            } => {
                let there = along.iter().copied().zip(high.iter().copied());
                let back = along.iter().copied().zip(low.iter().copied()).rev();
                let shape: Vec<(f64, f64)> = there.chain(back).collect();
                let fill = rgb(*colour).mix(0.2).filled();
                let drawn = chart.draw_series([Polygon::new(place(&shape), fill)])?;
                if *told {
                    drawn
                        .label(name)
                        .legend(move |(x, y)| Rectangle::new([(x, y - 4), (x + 18, y + 4)], fill));
                }
            }
            Layer::Rug { x: marks } => {
                let floor = y.range.start;
                let height = 0.02 * (y.range.end - floor);
                let style = rgb(Colour::Muted).stroke_width(1);
                chart.draw_series(marks.iter().map(|mark| {
                    let at = figure.x.place(*mark);
                    PathElement::new(vec![(at, floor), (at, floor + height)], style)
                }))?;
            }
            Layer::Heat { z, .. } => {
                let (low, high) = span(z);
                let cells = (z.iter().enumerate()).flat_map(|(j, row)| {
                    let known = row
                        .iter()
                        .enumerate()
                        .filter(|(_, value)| value.is_finite());
                    known.map(move |(i, &value)| (i as f64, j as f64, value))
                });
                chart.draw_series(cells.map(|(i, j, value)| {
                    let share = if high > low {
                        (value - low) / (high - low)
                    } else {
                        0.5
                    };
                    let corners = [(i - 0.5, j - 0.5), (i + 0.5, j + 0.5)];
                    Rectangle::new(corners, heat(share).filled())
                }))?;
            }
        }
    }
    if figure.has_legend() {
        chart
            .configure_series_labels()
            .position(emptiest(figure, &x, &y))
            .background_style(WHITE.mix(0.85))
            .border_style(RGBColor(200, 200, 200))
            .label_font((FONT, 12))
            .draw()?;
    }
    area.present()?;
    Ok(())
}

/// The corner where a legend hides least of what is drawn.
fn emptiest(figure: &Figure, x: &Scale, y: &Scale) -> SeriesLabelPosition {
    let share = |scale: &Scale, value: f64| {
        (scale.axis.place(value) - scale.range.start) / (scale.range.end - scale.range.start)
    };
    let drawn: Vec<(f64, f64)> = (figure.layers.iter())
        .flat_map(|layer| match layer {
            Layer::Line { points, .. } | Layer::Points { points, .. } => points.as_slice(),
            Layer::Band { .. } | Layer::Rug { .. } | Layer::Heat { .. } => &[],
        })
        .map(|(a, b)| (share(x, *a), share(y, *b)))
        .collect();
    let corners = [
        (SeriesLabelPosition::UpperRight, true, true),
        (SeriesLabelPosition::LowerLeft, false, false),
        (SeriesLabelPosition::LowerRight, true, false),
        (SeriesLabelPosition::UpperLeft, false, true),
    ];
    let hidden = |(_, right, upper): &(SeriesLabelPosition, bool, bool)| {
        let within = |at: f64, far: bool, reach: f64| {
            if far { at > 1.0 - reach } else { at < reach }
        };
        let is_hidden = |(a, b): &&(f64, f64)| within(*a, *right, 0.35) && within(*b, *upper, 0.3);
        drawn.iter().filter(is_hidden).count()
    };
    let best = corners.into_iter().min_by_key(hidden);
    best.map_or(SeriesLabelPosition::UpperRight, |(corner, ..)| corner)
}

/// The title; of a map also what its colours mean.
fn caption(figure: &Figure) -> String {
    let Some(Layer::Heat { z, .. }) = figure.layers.first() else {
        return figure.title.clone();
    };
    let (low, high) = span(z);
    format!(
        "{} (dark {}, bright {})",
        figure.title,
        short(low),
        short(high)
    )
}

/// The least and the most of a map.
fn span(z: &[Vec<f64>]) -> (f64, f64) {
    let finite = || z.iter().flatten().copied().filter(|v| v.is_finite());
    (
        finite().fold(f64::INFINITY, f64::min),
        finite().fold(f64::NEG_INFINITY, f64::max),
    )
}

fn rgb(colour: Colour) -> RGBColor {
    let (r, g, b) = colour.rgb();
    RGBColor(r, g, b)
}

fn style(stroke: Stroke) -> ShapeStyle {
    rgb(stroke.colour).stroke_width(stroke.width.round().max(1.0) as u32)
}

/// Between the two anchors of a share.
fn heat(share: f64) -> RGBColor {
    let at = share.clamp(0.0, 1.0) * (HEAT.len() - 1) as f64;
    let below = (at as usize).min(HEAT.len() - 2);
    let between = at - below as f64;
    let mix = |a: u8, b: u8| (f64::from(a) * (1.0 - between) + f64::from(b) * between) as u8;
    let (a, b) = (HEAT[below], HEAT[below + 1]);
    RGBColor(mix(a.0, b.0), mix(a.1, b.1), mix(a.2, b.2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_far_outside_of_an_axis_is_drawn_outside() {
        let axis = Axis::default();
        let scale = Scale {
            axis: &axis,
            range: 0.0..1.0,
        };
        let at = |value: f64| scale.map(&value, (40, 640));
        assert_eq!([at(0.0), at(0.5), at(1.0)], [40, 340, 640]);
        for far in [1e30, f64::INFINITY] {
            assert!(at(far) > 640 && at(-far) < 40);
        }
    }
}
