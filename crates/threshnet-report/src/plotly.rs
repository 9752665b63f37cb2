//! Figures for plotly.js, by the `plotly` crate.

use super::figure::{Axis, Colour, Figure, HEAT, Layer, Stroke};
use plotly::common::{
    ColorScale, ColorScaleElement, DashType, ErrorData, ErrorType, Fill, Line, LineShape, Marker,
    MarkerSymbol, Mode,
};
use plotly::layout::{AxisType, HoverMode};
use plotly::{HeatMap, Layout, Plot, Scatter};

/// plotly.js itself.
pub fn script() -> String {
    let both = Plot::offline_js_sources();
    // The first of two scripts; the other sets formulas, of which there are none.
    let start = both.find('>').map_or(0, |at| at + 1);
    let end = both.find("</script>").unwrap_or(both.len());
    both[start..end].to_string()
}

/// A figure as `{"data": …, "layout": …}`.
pub fn json(figure: &Figure) -> String {
    let mut plot = Plot::new();
    let (_, (floor, _)) = figure.extent();
    for layer in &figure.layers {
        add(&mut plot, layer, floor);
    }
    plot.set_layout(
        Layout::new()
            .x_axis(axis(&figure.x))
            .y_axis(axis(&figure.y))
            .hover_mode(HoverMode::Closest)
            .show_legend(figure.layers.iter().filter(|layer| is_told(layer)).count() > 1),
    );
    plot.to_json()
}

fn is_told(layer: &Layer) -> bool {
    match layer {
        Layer::Line { told, .. } => *told,
        Layer::Points { .. } | Layer::Band { .. } => true,
        Layer::Rug { .. } | Layer::Heat { .. } => false,
    }
}

fn add(plot: &mut Plot, layer: &Layer, floor: f64) {
    match layer {
        Layer::Line {
            name,
            points,
            stroke,
            steps,
            told,
        } => {
            let shape = if *steps {
                LineShape::Hv
            } else {
                LineShape::Linear
            };
            let (x, y) = unzipped(points);
            plot.add_trace(
                Scatter::new(x, y)
                    .name(text(name))
                    .mode(Mode::Lines)
                    .line(line(*stroke).shape(shape))
                    .show_legend(*told),
            );
        }
        Layer::Points {
            name,
            points,
            colour,
            bars,
            marked,
        } => {
            let (x, y) = unzipped(points);
            let symbol = if *marked {
                MarkerSymbol::StarOpen
            } else {
                MarkerSymbol::Circle
            };
            let mut trace = Scatter::new(x, y.clone())
                .name(text(name))
                .mode(Mode::Markers)
                .marker(
                    Marker::new()
                        .color(css(*colour))
                        .symbol(symbol)
                        .size(if *marked { 14 } else { 6 })
                        .opacity(if *marked || points.len() < 50 {
                            1.0
                        } else {
                            0.6
                        }),
                );
            if !bars.is_empty() {
                let above = bars.iter().zip(&y).map(|((_, high), y)| high - y).collect();
                let below = bars.iter().zip(&y).map(|((low, _), y)| y - low).collect();
                let bars = ErrorData::new(ErrorType::Data)
                    .array(above)
                    .array_minus(below);
                trace = trace.error_y(bars.symmetric(false));
            }
            plot.add_trace(trace);
        }
        Layer::Band {
            name,
            x,
            low,
            high,
            colour,
        } => {
            // There and back again: one closed shape.
            let there = x.iter().chain(x.iter().rev()).copied().collect();
            let back = high.iter().chain(low.iter().rev()).copied().collect();
            let (r, g, b) = colour.rgb();
            plot.add_trace(
                Scatter::new(there, back)
                    .name(text(name))
                    .mode(Mode::Lines)
                    .line(Line::new().width(0.0).color(css(*colour)))
                    .fill(Fill::ToSelf)
                    .fill_color(format!("rgba({r},{g},{b},0.2)"))
                    .hover_info(plotly::common::HoverInfo::Skip),
            );
        }
        Layer::Rug { x } => {
            plot.add_trace(
                Scatter::new(x.clone(), vec![floor; x.len()])
                    .name("rows")
                    .mode(Mode::Markers)
                    .marker(
                        Marker::new()
                            .symbol(MarkerSymbol::LineNSOpen)
                            .size(8)
                            .color(css(Colour::Muted)),
                    )
                    .hover_info(plotly::common::HoverInfo::X)
                    .show_legend(false),
            );
        }
        Layer::Heat { name, z } => {
            let steps = HEAT.iter().enumerate().map(|(k, (r, g, b))| {
                let at = k as f64 / (HEAT.len() - 1) as f64;
                ColorScaleElement(at, format!("rgb({r},{g},{b})"))
            });
            let x: Vec<usize> = (0..z.first().map_or(0, Vec::len)).collect();
            let y: Vec<usize> = (0..z.len()).collect();
            plot.add_trace(
                HeatMap::new(x, y, z.clone())
                    .name(text(name))
                    .color_scale(ColorScale::Vector(steps.collect())),
            );
        }
    }
}

fn axis(axis: &Axis) -> plotly::layout::Axis {
    let kind = if axis.log {
        AxisType::Log
    } else {
        AxisType::Linear
    };
    let mut drawn = plotly::layout::Axis::new()
        .title(text(&axis.label))
        .type_(kind)
        .zero_line(false)
        .auto_margin(true);
    if let Some((from, to)) = axis.range {
        let end = |value: f64| if axis.log { value.log10() } else { value };
        drawn = drawn.range(vec![end(from), end(to)]);
    }
    if !axis.ticks.is_empty() {
        drawn = drawn
            .tick_values(axis.ticks.iter().map(|(at, _)| *at).collect())
            .tick_text(axis.ticks.iter().map(|(_, label)| text(label)).collect());
    }
    drawn
}

fn line(stroke: Stroke) -> Line {
    let line = Line::new().color(css(stroke.colour)).width(stroke.width);
    match stroke.dashed {
        true => line.dash(DashType::Dash),
        false => line,
    }
}

fn css(colour: Colour) -> String {
    let (r, g, b) = colour.rgb();
    format!("#{r:02x}{g:02x}{b:02x}")
}

fn unzipped(points: &[(f64, f64)]) -> (Vec<f64>, Vec<f64>) {
    points.iter().copied().unzip()
}

/// plotly.js reads tags and entities in texts: names are to be text.
fn text(name: &str) -> String {
    name.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_script_is_plotly_alone() {
        let script = script();
        assert!(script.contains("plotly.js v"));
        assert!(!script.contains("<script") && !script.contains("</script"));
        assert!(script.len() < 5_000_000, "{}", script.len());
    }

    #[test]
    fn names_are_text() {
        let figure = Figure {
            id: "f".into(),
            title: "t".into(),
            x: Axis::new("<b>x</b>"),
            y: Axis::new("y"),
            layers: vec![Layer::line(
                "a\"<i>&",
                vec![(0.0, 1.0), (1.0, f64::NAN)],
                Stroke::new(Colour::Series(0)),
            )],
        };
        let json: serde_json::Value = serde_json::from_str(&json(&figure)).unwrap();
        assert_eq!(json["data"][0]["name"], "a\"&lt;i&gt;&amp;");
        assert_eq!(
            json["layout"]["xaxis"]["title"]["text"],
            "&lt;b&gt;x&lt;/b&gt;"
        );
        assert!(json["data"][0]["y"][1].is_null());
    }
}
