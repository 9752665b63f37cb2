//! A figure as what it shows, for whichever program draws it: `plotly.rs` for the page,
//! `svg.rs` for paper.

use threshnet::format::visible;

/// A figure.
#[derive(Debug, Clone)]
pub struct Figure {
    /// Its name in the page, and of its file.
    pub id: String,
    pub title: String,
    pub x: Axis,
    pub y: Axis,
    pub layers: Vec<Layer>,
}

/// An axis.
#[derive(Debug, Clone, Default)]
pub struct Axis {
    pub label: String,
    pub log: bool,
    /// What it reaches from and to; what the layers need otherwise.
    pub range: Option<(f64, f64)>,
    /// Its marks; as the program likes otherwise.
    pub ticks: Vec<(f64, String)>,
}

impl Axis {
    pub fn new(label: impl Into<String>) -> Self {
        Axis {
            label: label.into(),
            ..Axis::default()
        }
    }

    pub fn log(self) -> Self {
        Axis { log: true, ..self }
    }

    /// Where a value is: on a log scale its logarithm.
    pub fn place(&self, value: f64) -> f64 {
        if self.log { value.log10() } else { value }
    }

    pub fn within(self, from: f64, to: f64) -> Self {
        Axis {
            range: Some((from, to)),
            ..self
        }
    }
}

/// A colour by what it is for. The palette is that of Okabe and Ito (2008), which people
/// with any kind of colour vision can tell apart, without its yellow and its black.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Colour {
    /// One of the palette, which begins again where it ends.
    Series(usize),
    /// What is beside the point.
    Muted,
}

impl Colour {
    const PALETTE: [(u8, u8, u8); 6] = [
        (0x00, 0x72, 0xB2),
        (0xD5, 0x5E, 0x00),
        (0x00, 0x9E, 0x73),
        (0xCC, 0x79, 0xA7),
        (0x56, 0xB4, 0xE9),
        (0xE6, 0x9F, 0x00),
    ];

    pub fn rgb(self) -> (u8, u8, u8) {
        match self {
            Colour::Series(number) => Self::PALETTE[number % Self::PALETTE.len()],
            Colour::Muted => (0x8A, 0x8A, 0x8A),
        }
    }
}

/// From low to high, in steps that are equal to the eye whatever its colour vision: anchors
/// of *cividis* (Nuñez, Anderton and Renslow 2018, PLOS ONE 13:e0199239).
pub const HEAT: [(u8, u8, u8); 5] = [
    (0x00, 0x22, 0x4E),
    (0x43, 0x4E, 0x6C),
    (0x7D, 0x7C, 0x78),
    (0xBC, 0xAF, 0x6F),
    (0xFE, 0xE8, 0x38),
];

/// How a line is drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stroke {
    pub colour: Colour,
    pub width: f64,
    pub dashed: bool,
}

impl Stroke {
    pub fn new(colour: Colour) -> Self {
        Stroke {
            colour,
            width: 2.0,
            dashed: false,
        }
    }

    pub fn dashed(self) -> Self {
        Stroke {
            dashed: true,
            ..self
        }
    }

    pub fn width(self, width: f64) -> Self {
        Stroke { width, ..self }
    }
}

/// What stands at a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    Dot,
    /// Large and hollow.
    Star,
    /// A short upright line, as of a censored row.
    Tick,
}

/// Something drawn.
#[derive(Debug, Clone)]
pub enum Layer {
    Line {
        name: String,
        points: Vec<(f64, f64)>,
        stroke: Stroke,
        /// Constant until the next point, as a survival curve is.
        steps: bool,
        /// Whether the legend tells its name.
        told: bool,
    },
    Points {
        name: String,
        points: Vec<(f64, f64)>,
        colour: Colour,
        /// From and to, one for each point or none.
        bars: Vec<(f64, f64)>,
        mark: Mark,
        /// Whether the legend tells its name.
        told: bool,
    },
    Band {
        name: String,
        x: Vec<f64>,
        low: Vec<f64>,
        high: Vec<f64>,
        colour: Colour,
        told: bool,
    },
    /// Marks along the lower edge.
    Rug { x: Vec<f64> },
    /// Coloured cells, `[y][x]`, centred at positions 0, 1, … along both axes.
    Heat { name: String, z: Vec<Vec<f64>> },
}

impl Layer {
    pub fn line(name: impl Into<String>, points: Vec<(f64, f64)>, stroke: Stroke) -> Self {
        Layer::Line {
            name: name.into(),
            points,
            stroke,
            steps: false,
            told: true,
        }
    }

    pub fn points(name: impl Into<String>, points: Vec<(f64, f64)>, colour: Colour) -> Self {
        Layer::Points {
            name: name.into(),
            points,
            colour,
            bars: vec![],
            mark: Mark::Dot,
            told: true,
        }
    }

    /// A band between two curves.
    pub fn band(name: impl Into<String>, x: &[f64], ends: [&[f64]; 2], colour: Colour) -> Self {
        Layer::Band {
            name: name.into(),
            x: x.to_vec(),
            low: ends[0].to_vec(),
            high: ends[1].to_vec(),
            colour,
            told: true,
        }
    }

    /// A layer that the legend leaves out.
    pub fn untold(mut self) -> Self {
        if let Layer::Line { told, .. } | Layer::Points { told, .. } | Layer::Band { told, .. } =
            &mut self
        {
            *told = false;
        }
        self
    }

    /// The least and the most of x and of y.
    pub fn extent(&self) -> Option<((f64, f64), (f64, f64))> {
        let all: Vec<(f64, f64)> = match self {
            Layer::Line { points, .. } => points.clone(),
            Layer::Points { points, bars, .. } => {
                let bars = points.iter().zip(bars);
                let ends = bars.flat_map(|((x, _), (a, b))| [(*x, *a), (*x, *b)]);
                points.iter().copied().chain(ends).collect()
            }
            Layer::Band { x, low, high, .. } => [points(x, low), points(x, high)].concat(),
            Layer::Rug { .. } => vec![],
            Layer::Heat { z, .. } => {
                let wide = z.first().map_or(0, Vec::len) as f64;
                vec![(-0.5, -0.5), (wide - 0.5, z.len() as f64 - 0.5)]
            }
        };
        let finite = all.into_iter().filter(is_finite);
        finite.fold(None, |extent, (x, y)| {
            let ((x0, x1), (y0, y1)) = extent.unwrap_or(((x, x), (y, y)));
            Some(((x.min(x0), x.max(x1)), (y.min(y0), y.max(y1))))
        })
    }
}

/// The points with these places along both axes.
pub fn points(x: &[f64], y: &[f64]) -> Vec<(f64, f64)> {
    x.iter().copied().zip(y.iter().copied()).collect()
}

/// The same points with the corners of a line that is constant until the next of them.
pub fn stairs(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let mut path: Vec<(f64, f64)> = points.first().copied().into_iter().collect();
    for pair in points.windows(2) {
        path.extend([(pair[1].0, pair[0].1), pair[1]]);
    }
    path
}

/// Whether a point is anywhere.
pub fn is_finite((x, y): &(f64, f64)) -> bool {
    x.is_finite() && y.is_finite()
}

impl Figure {
    /// The same with names of which every character can be seen: others are not allowed in XML.
    pub fn visible(&self) -> Figure {
        let shown = |text: &String| visible(text).into_owned();
        let axis = |axis: &Axis| Axis {
            label: shown(&axis.label),
            ticks: axis
                .ticks
                .iter()
                .map(|(at, label)| (*at, shown(label)))
                .collect(),
            ..axis.clone()
        };
        let mut figure = Figure {
            title: shown(&self.title),
            x: axis(&self.x),
            y: axis(&self.y),
            ..self.clone()
        };
        for layer in &mut figure.layers {
            match layer {
                Layer::Line { name, .. }
                | Layer::Points { name, .. }
                | Layer::Band { name, .. }
                | Layer::Heat { name, .. } => *name = shown(name),
                Layer::Rug { .. } => {}
            }
        }
        figure
    }

    /// Whether there are several layers to tell apart.
    pub fn has_legend(&self) -> bool {
        let is_told = |layer: &&Layer| match layer {
            Layer::Line { told, .. } | Layer::Points { told, .. } | Layer::Band { told, .. } => {
                *told
            }
            Layer::Rug { .. } | Layer::Heat { .. } => false,
        };
        self.layers.iter().filter(is_told).count() > 1
    }

    /// The least and the most of x and of y over all layers.
    pub fn extent(&self) -> ((f64, f64), (f64, f64)) {
        let all = self.layers.iter().filter_map(Layer::extent);
        let joined = all.reduce(|a, b| {
            let join = |a: (f64, f64), b: (f64, f64)| (a.0.min(b.0), a.1.max(b.1));
            (join(a.0, b.0), join(a.1, b.1))
        });
        let (x, y) = joined.unwrap_or(((0.0, 1.0), (0.0, 1.0)));
        (self.x.range.unwrap_or(x), self.y.range.unwrap_or(y))
    }

    /// With one more layer, above the others.
    pub fn with(mut self, layer: Layer) -> Self {
        self.layers.push(layer);
        self
    }

    /// A vertical line over the whole height at x.
    pub fn marked_at(mut self, x: f64, name: &str) -> Self {
        let (_, (low, high)) = self.extent();
        let stroke = Stroke::new(Colour::Series(1)).dashed();
        let points = vec![(x, low), (x, high)];
        self.layers.push(Layer::line(name, points, stroke));
        self
    }
}
