//! Figures for plotly.js, which the `plotly` crate carries.

use super::figure::{Axis, Colour, Figure, HEAT, Layer, Mark};
use plotly::Plot;
use serde_json::{Value, json};

/// plotly.js itself.
pub fn script() -> String {
    let both = Plot::offline_js_sources();
    // The first of two scripts; the other sets formulas, of which there are none.
    let start = both.find('>').map_or(0, |at| at + 1);
    let end = both.find("</script>").unwrap_or(both.len());
    both[start..end].to_string()
}

/// A figure as `{"data": …, "layout": …}`.
pub fn json(figure: &Figure) -> Value {
    let (_, (floor, _)) = figure.extent();
    json!({
        "data": figure.layers.iter().map(|layer| trace(layer, floor)).collect::<Vec<_>>(),
        "layout": {
            "xaxis": axis(&figure.x),
            "yaxis": axis(&figure.y),
            "hovermode": "closest",
            "showlegend": figure.has_legend(),
        },
    })
}

fn trace(layer: &Layer, floor: f64) -> Value {
    match layer {
        Layer::Line {
            name,
            points,
            stroke,
            steps,
            told,
        } => json!({
            "type": "scatter",
            "mode": "lines",
            "name": text(name),
            "x": xs(points),
            "y": ys(points),
            "showlegend": told,
            "line": {
                "color": css(stroke.colour),
                "width": stroke.width,
                "dash": if stroke.dashed { "dash" } else { "solid" },
                "shape": if *steps { "hv" } else { "linear" },
            },
        }),
        Layer::Points {
            name,
            points,
            colour,
            bars,
            mark,
            told,
        } => {
            let (symbol, size) = match mark {
                Mark::Dot => ("circle", 6),
                Mark::Star => ("star-open", 14),
                Mark::Tick => ("line-ns-open", 7),
            };
            let ends = || bars.iter().zip(points);
            json!({
                "type": "scatter",
                "mode": "markers",
                "name": text(name),
                "x": xs(points),
                "y": ys(points),
                "showlegend": told,
                "error_y": {
                    "visible": !bars.is_empty(),
                    "type": "data",
                    "symmetric": false,
                    "array": ends().map(|((_, high), (_, y))| high - y).collect::<Vec<_>>(),
                    "arrayminus": ends().map(|((low, _), (_, y))| y - low).collect::<Vec<_>>(),
                },
                "marker": {
                    "color": css(*colour),
                    "symbol": symbol,
                    "size": size,
                    "opacity": if *mark != Mark::Dot || points.len() < 50 { 1.0 } else { 0.6 },
                },
            })
        }
        Layer::Band {
            name,
            x,
            low,
            high,
            colour,
            told,
        } => {
            let (r, g, b) = colour.rgb();
            // There and back again: one closed shape.
            json!({
                "type": "scatter",
                "mode": "lines",
                "name": text(name),
                "x": x.iter().chain(x.iter().rev()).collect::<Vec<_>>(),
                "y": high.iter().chain(low.iter().rev()).collect::<Vec<_>>(),
                "showlegend": told,
                "line": { "width": 0.0, "color": css(*colour) },
                "fill": "toself",
                "fillcolor": format!("rgba({r},{g},{b},0.2)"),
                "hoverinfo": "skip",
            })
        }
        Layer::Rug { x } => json!({
            "type": "scatter",
            "mode": "markers",
            "name": "rows",
            "x": x,
            "y": vec![floor; x.len()],
            "marker": { "symbol": "line-ns-open", "size": 8, "color": css(Colour::Muted) },
            "hoverinfo": "x",
            "showlegend": false,
        }),
        Layer::Heat { name, z } => {
            let steps = HEAT.iter().enumerate().map(|(k, (r, g, b))| {
                let at = k as f64 / (HEAT.len() - 1) as f64;
                (at, format!("rgb({r},{g},{b})"))
            });
            json!({
                "type": "heatmap",
                "name": text(name),
                "x": (0..z.first().map_or(0, Vec::len)).collect::<Vec<_>>(),
                "y": (0..z.len()).collect::<Vec<_>>(),
                "z": z,
                "colorscale": steps.collect::<Vec<_>>(),
            })
        }
    }
}

fn axis(axis: &Axis) -> Value {
    let mut drawn = json!({
        "title": { "text": text(&axis.label) },
        "type": if axis.log { "log" } else { "linear" },
        "zeroline": false,
        "automargin": true,
    });
    if let Some((from, to)) = axis.range {
        drawn["range"] = json!([axis.place(from), axis.place(to)]);
    }
    if !axis.ticks.is_empty() {
        let (at, labels): (Vec<f64>, Vec<String>) = axis
            .ticks
            .iter()
            .map(|(at, label)| (at, text(label)))
            .unzip();
        drawn["tickvals"] = json!(at);
        drawn["ticktext"] = json!(labels);
    }
    drawn
}

fn css(colour: Colour) -> String {
    let (r, g, b) = colour.rgb();
    format!("#{r:02x}{g:02x}{b:02x}")
}

fn xs(points: &[(f64, f64)]) -> Vec<f64> {
    points.iter().map(|point| point.0).collect()
}

fn ys(points: &[(f64, f64)]) -> Vec<f64> {
    points.iter().map(|point| point.1).collect()
}

/// plotly.js reads tags and entities in texts: names are to be text.
fn text(name: &str) -> String {
    name.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::super::figure::Stroke;
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
        let json = json(&figure);
        assert_eq!(json["data"][0]["name"], "a\"&lt;i&gt;&amp;");
        assert_eq!(
            json["layout"]["xaxis"]["title"]["text"],
            "&lt;b&gt;x&lt;/b&gt;"
        );
        assert!(json["data"][0]["y"][1].is_null());
    }
}
