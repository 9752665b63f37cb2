//! MNIST's digits 7 and 8 under noise: files in IDX format.
//!
//! A replicate draws 250 images of each digit from the training file. Pixels are
//! put on [0, 1], independent standard normal noise is added to every one, and
//! columns are standardised with the training rows. The 2002 test images come
//! twice: with noise of their own and without, for the paper does not say.

use super::metric::Metric;
use super::plan::Cell;
use super::raw::{Cells, Raw, bytes};
use super::sample::{Sample, Truth};
use super::source_file::find;
use anyhow::{Result, bail};
use std::path::Path;
use threshnet::dataset::{Dataset, Outcome, Task};
use threshnet::random::{Purpose, Random};

/// The digits to tell apart; the second is the positive class.
const DIGITS: [u8; 2] = [7, 8];
/// Training images of each.
const IMAGES_EACH: usize = 250;
/// Images in the battery.
const FIRST: usize = 600;
/// Pixels along an edge.
pub const EDGE: usize = 28;
const PIXELS: usize = EDGE * EDGE;
/// A pixel belongs to the digits' area if at least this share of the training
/// images of 7 and 8 has ink there.
const INKED: f64 = 0.05;

/// Streams of random numbers under a replicate's seed.
const CHOICE: u64 = 2;
const TRAIN_NOISE: u64 = 3;
const TEST_NOISE: u64 = 4;

/// Images of the two digits.
pub struct Digits {
    train: Images,
    test: Images,
}

struct Images {
    /// Pixels of each image, 0 to 255.
    pixels: Vec<Vec<u8>>,
    /// Whether it is the second digit.
    labels: Vec<usize>,
}

impl Digits {
    /// Reads the four files from a folder or one of its subfolders.
    pub fn read(folder: &Path) -> Result<Digits> {
        Ok(Digits {
            train: Images::read(folder, "train")?,
            test: Images::read(folder, "t10k")?,
        })
    }

    pub fn cell(&self) -> Cell {
        Cell::real("mnist", (2 * IMAGES_EACH, PIXELS), Task::Binary)
    }

    /// A replicate.
    pub fn sample(&self, seed: u64) -> Result<Sample> {
        let mut random = Random::new(seed, Purpose::Simulation, CHOICE, 0);
        let mut chosen = vec![];
        for (label, digit) in DIGITS.iter().enumerate() {
            let mut of_digit: Vec<usize> = (0..self.train.labels.len())
                .filter(|&i| self.train.labels[i] == label)
                .collect();
            if of_digit.len() < IMAGES_EACH {
                let found = of_digit.len();
                bail!("{found} training images of a {digit}; {IMAGES_EACH} are needed");
            }
            random.shuffle(&mut of_digit);
            chosen.extend_from_slice(&of_digit[..IMAGES_EACH]);
        }
        let noise = |stream| Some(Random::new(seed, Purpose::Simulation, stream, 0));
        let all: Vec<usize> = (0..self.test.labels.len()).collect();
        Ok(Sample {
            train: self.train.dataset(&chosen, noise(TRAIN_NOISE))?,
            tests: vec![
                ("noisy", self.test.dataset(&all, noise(TEST_NOISE))?),
                ("clean", self.test.dataset(&all, None)?),
            ],
            truth: Truth::Within(self.area()),
            standardize: true,
            metrics: vec![Metric::of_paper(Task::Binary)],
            clinical: vec![],
            encoded: vec![],
        })
    }

    /// The pixels where the digits' ink is.
    pub fn area(&self) -> Vec<usize> {
        let images = &self.train.pixels;
        let inked = |pixel: &usize| {
            let count = images.iter().filter(|image| image[*pixel] > 0).count();
            count as f64 >= INKED * images.len() as f64
        };
        (0..PIXELS).filter(inked).collect()
    }

    /// The mean training image, on [0, 1], as rows of CSV.
    pub fn mean_image(&self) -> String {
        let images = &self.train.pixels;
        let mean = |pixel: usize| {
            let sum: u64 = images.iter().map(|image| u64::from(image[pixel])).sum();
            format!("{:.4}", sum as f64 / images.len() as f64 / 255.0)
        };
        let row = |row: usize| {
            let cells: Vec<String> = (0..EDGE).map(|column| mean(row * EDGE + column)).collect();
            cells.join(",") + "\n"
        };
        (0..EDGE).map(row).collect()
    }
}

/// The first training images of the two digits and which of them each is, without noise: a small
/// data set of the battery.
pub fn first(folder: &Path) -> Result<(Raw, Cells)> {
    let images = Images::read(folder, "train")?;
    let count = FIRST.min(images.labels.len());
    let pixel = |pixel: usize| {
        let ink = images.pixels[..count]
            .iter()
            .map(|image| f64::from(image[pixel]));
        Cells::Numbers(ink.collect())
    };
    let digits = images.labels[..count]
        .iter()
        .map(|&label| f64::from(DIGITS[label]));
    let raw = Raw {
        names: pixel_names().collect(),
        columns: (0..PIXELS).map(pixel).collect(),
    };
    Ok((raw, Cells::Numbers(digits.collect())))
}

fn pixel_names() -> impl Iterator<Item = String> {
    (0..PIXELS).map(|p| format!("pixel_{}_{}", p / EDGE, p % EDGE))
}

impl Images {
    fn read(folder: &Path, part: &str) -> Result<Images> {
        let images = read_idx(folder, &format!("{part}-images-idx3-ubyte"), 3)?;
        let labels = read_idx(folder, &format!("{part}-labels-idx1-ubyte"), 1)?;
        if images.sizes[1..] != [EDGE, EDGE] || images.sizes[0] != labels.sizes[0] {
            let shown = folder.display();
            bail!("{shown}: the {part} images are not {EDGE} × {EDGE}, one for each label");
        }
        let pairs = images.bytes.chunks_exact(PIXELS).zip(&labels.bytes);
        let (pixels, labels) = pairs
            .filter_map(|(image, digit)| {
                let label = DIGITS.iter().position(|wanted| wanted == digit)?;
                Some((image.to_vec(), label))
            })
            .unzip();
        Ok(Images { pixels, labels })
    }

    /// Images as rows, with noise if there is any.
    fn dataset(&self, rows: &[usize], mut noise: Option<Random>) -> Result<Dataset<'static>> {
        let mut columns = vec![vec![]; PIXELS];
        for &row in rows {
            for (column, &pixel) in columns.iter_mut().zip(&self.pixels[row]) {
                let added = noise.as_mut().map_or(0.0, Random::normal);
                column.push(f64::from(pixel) / 255.0 + added);
            }
        }
        let outcome = Outcome::Classes {
            labels: rows.iter().map(|&row| self.labels[row]).collect(),
            classes: DIGITS.map(|digit| digit.to_string()).into(),
            task: Task::Binary,
        };
        Ok(Dataset::new(pixel_names().collect(), columns, outcome)?)
    }
}

struct Idx {
    sizes: Vec<usize>,
    bytes: Vec<u8>,
}

/// Reads a file of unsigned bytes, plain or gzipped: two zero bytes, the type 8,
/// the number of dimensions, a big-endian size for each, the values.
fn read_idx(folder: &Path, name: &str, dimensions: usize) -> Result<Idx> {
    let path = find(folder, &[name, &format!("{name}.gz")])?;
    let shown = path.display();
    let mut bytes = bytes(&path)?;
    let header = 4 + 4 * dimensions;
    if bytes.len() < header || bytes[..4] != [0, 0, 8, dimensions as u8] {
        bail!("{shown}: not an IDX file of bytes in {dimensions} dimensions; download it again");
    }
    let sizes: Vec<usize> = bytes[4..header]
        .chunks_exact(4)
        .map(|b| u32::from_be_bytes([b[0], b[1], b[2], b[3]]) as usize)
        .collect();
    bytes.drain(..header);
    let (found, wanted) = (
        bytes.len(),
        sizes.iter().try_fold(1, |a: usize, &b| a.checked_mul(b)),
    );
    if wanted != Some(found) {
        bail!("{shown}: {found} bytes of values, but its sizes are {sizes:?}; download it again");
    }
    Ok(Idx { sizes, bytes })
}
