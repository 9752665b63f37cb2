//! One tree: how it grows, and where it sends a row.

use super::Targets;
use super::bins::{BINS, Bins};
use crate::random::Random;
use serde::{Deserialize, Serialize};

/// In a node with fewer rows these are sorted rather than counted by bin.
const FEW_ROWS: usize = 48;

/// Nodes by number, the root first; the right child follows the left.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Tree {
    /// By node: the number of the column that it splits; of a leaf any.
    column: Vec<u32>,
    /// A value up to this goes to the left.
    threshold: Vec<f64>,
    /// The left child; 0 of a leaf.
    left: Vec<u32>,
    /// Of a leaf the response; of the others nothing.
    response: Vec<Vec<f64>>,
}

impl Tree {
    /// The leaf of a row with these values of columns.
    pub fn leaf(&self, mut value: impl FnMut(usize) -> f64) -> u32 {
        let mut node = 0;
        while self.left[node] > 0 {
            let left = value(self.column[node] as usize) <= self.threshold[node];
            node = self.left[node] as usize + usize::from(!left);
        }
        node as u32
    }

    /// What a leaf responds.
    pub fn response(&self, leaf: u32) -> &[f64] {
        &self.response[leaf as usize]
    }

    /// Multiplies every response.
    pub fn multiply(&mut self, factor: f64) {
        for value in self.response.iter_mut().flatten() {
            *value *= factor;
        }
    }

    /// How many numbers a response has.
    pub fn width(&self) -> usize {
        self.response.iter().map(Vec::len).max().unwrap_or(0)
    }

    /// The numbers of all its responses.
    pub fn responses(&self) -> impl Iterator<Item = &f64> {
        self.response.iter().flatten()
    }

    /// The columns of its splits.
    pub fn columns(&self) -> impl Iterator<Item = usize> + '_ {
        let splits = self.column.iter().zip(&self.left);
        splits
            .filter(|(_, left)| **left > 0)
            .map(|(&column, _)| column as usize)
    }

    /// What is wrong with one that was read from a file, for so many columns and numbers.
    pub fn check(&self, columns: usize, width: usize) -> Result<(), String> {
        let nodes = self.left.len();
        let lengths = [self.column.len(), self.threshold.len(), self.response.len()];
        if nodes == 0 || lengths != [nodes; 3] {
            return Err("a tree whose parts have different lengths".into());
        }
        for node in 0..nodes {
            let left = self.left[node] as usize;
            let response = &self.response[node];
            let is_right = match left {
                0 => response.len() == width && response.iter().all(|value| value.is_finite()),
                // (children come later, so every row arrives)
                _ => {
                    (self.column[node] as usize) < columns
                        && left > node
                        && left + 1 < nodes
                        && self.threshold[node].is_finite()
                }
            };
            if !is_right {
                return Err(format!("a tree whose node {node} makes no sense"));
            }
        }
        Ok(())
    }

    /// Up to what value of its column the root sends rows to the left.
    #[cfg(test)]
    pub fn root_threshold(&self) -> f64 {
        self.threshold[0]
    }

    fn add_leaf(&mut self, response: Vec<f64>) {
        self.column.push(0);
        self.threshold.push(0.0);
        self.left.push(0);
        self.response.push(response);
    }
}

/// What trees grow from.
pub struct Grower<'a> {
    pub bins: &'a Bins<'a>,
    pub targets: &'a Targets,
    /// Columns that a node tries.
    pub tried: usize,
}

/// Where to split a node.
struct Split {
    gain: f64,
    place: usize,
    bin: u8,
}

/// Sums over rows: weights, and weighted targets.
#[derive(Clone)]
struct Sums {
    weight: f64,
    targets: Vec<f64>,
}

impl Sums {
    fn new(width: usize) -> Sums {
        Sums {
            weight: 0.0,
            targets: vec![0.0; width],
        }
    }

    /// Σₖ S²ₖ/W of these, and of what is left of all.
    fn purity(&self, all: &Sums) -> f64 {
        let rest = all.weight - self.weight;
        let parts = self.targets.iter().zip(&all.targets);
        parts
            .map(|(own, all)| own * own / self.weight + (all - own).powi(2) / rest)
            .sum()
    }
}

/// Room for counting by bin.
struct Room {
    weights: Vec<f64>,
    targets: Vec<f64>,
    sorted: Vec<(u8, u32)>,
}

impl Grower<'_> {
    /// A tree of these rows, of which some may stand there more than once.
    pub fn grow(&self, mut rows: Vec<u32>, random: &mut Random) -> Tree {
        let mut tree = Tree {
            column: vec![],
            threshold: vec![],
            left: vec![],
            response: vec![],
        };
        let mut room = Room {
            weights: vec![0.0; BINS],
            targets: vec![0.0; BINS * self.targets.width],
            sorted: vec![],
        };
        let mut places: Vec<usize> = (0..self.bins.columns().len()).collect();
        tree.add_leaf(vec![]);
        let mut open = vec![(0, 0..rows.len())];
        while let Some((node, range)) = open.pop() {
            let own = &mut rows[range.clone()];
            let Some(split) = self.best_split(own, &mut places, &mut room, random) else {
                tree.response[node] = self.targets.response(own);
                continue;
            };
            let codes = self.bins.codes(split.place);
            // (stable, so that sums have one order)
            own.sort_by_key(|&row| codes[row as usize] > split.bin);
            let left = own.partition_point(|&row| codes[row as usize] <= split.bin);
            let child = tree.left.len();
            tree.column[node] = self.bins.columns()[split.place] as u32;
            tree.threshold[node] = self.bins.between(split.place, &own[..left], &own[left..]);
            tree.left[node] = child as u32;
            tree.add_leaf(vec![]);
            tree.add_leaf(vec![]);
            let middle = range.start + left;
            open.push((child + 1, middle..range.end));
            open.push((child, range.start..middle));
        }
        tree
    }

    /// The best split of these rows by columns drawn at random; none if they are too few or alike.
    fn best_split(
        &self,
        rows: &[u32],
        places: &mut [usize],
        room: &mut Room,
        random: &mut Random,
    ) -> Option<Split> {
        let mut all = Sums::new(self.targets.width);
        for &row in rows {
            self.add(&mut all, row);
        }
        if all.weight < 2.0 * self.targets.fewest || places.is_empty() {
            return None;
        }
        let whole: f64 = all.targets.iter().map(|sum| sum * sum / all.weight).sum();
        // (a gain that is not above rounding is none)
        let mut best = Split {
            gain: 1e-9 * all.weight,
            place: usize::MAX,
            bin: 0,
        };
        for drawn in 0..self.tried.min(places.len()) {
            let other = drawn + random.below(places.len() - drawn);
            places.swap(drawn, other);
            let place = places[drawn];
            match rows.len() < FEW_ROWS {
                true => self.try_sorted(place, rows, &all, whole, room, &mut best),
                false => self.try_bins(place, rows, &all, whole, room, &mut best),
            }
        }
        (best.place != usize::MAX).then_some(best)
    }

    fn add(&self, sums: &mut Sums, row: u32) {
        let (row, width) = (row as usize, self.targets.width);
        let weight = self.targets.weights[row];
        sums.weight += weight;
        let targets = &self.targets.residuals[row * width..][..width];
        for (sum, target) in sums.targets.iter_mut().zip(targets) {
            *sum += weight * target;
        }
    }

    /// Whether a split with these on the left is the best so far.
    fn consider(&self, left: &Sums, all: &Sums, whole: f64, at: (usize, u8), best: &mut Split) {
        let fewest = self.targets.fewest;
        if left.weight < fewest || all.weight - left.weight < fewest {
            return;
        }
        let gain = left.purity(all) - whole;
        if gain > best.gain {
            let (place, bin) = at;
            *best = Split { gain, place, bin };
        }
    }

    fn try_sorted(
        &self,
        place: usize,
        rows: &[u32],
        all: &Sums,
        whole: f64,
        room: &mut Room,
        best: &mut Split,
    ) {
        let codes = self.bins.codes(place);
        room.sorted.clear();
        room.sorted
            .extend(rows.iter().map(|&row| (codes[row as usize], row)));
        room.sorted.sort_unstable();
        let mut left = Sums::new(self.targets.width);
        for pair in room.sorted.windows(2) {
            let (bin, row) = pair[0];
            self.add(&mut left, row);
            if bin < pair[1].0 {
                self.consider(&left, all, whole, (place, bin), best);
            }
        }
    }

    fn try_bins(
        &self,
        place: usize,
        rows: &[u32],
        all: &Sums,
        whole: f64,
        room: &mut Room,
        best: &mut Split,
    ) {
        let (codes, width) = (self.bins.codes(place), self.targets.width);
        room.weights.fill(0.0);
        room.targets.fill(0.0);
        for &row in rows {
            let (row, bin) = (row as usize, codes[row as usize] as usize);
            let weight = self.targets.weights[row];
            room.weights[bin] += weight;
            let targets = &self.targets.residuals[row * width..][..width];
            for (sum, target) in room.targets[bin * width..].iter_mut().zip(targets) {
                *sum += weight * target;
            }
        }
        let mut left = Sums::new(width);
        for bin in 0..BINS - 1 {
            if room.weights[bin] == 0.0 {
                continue;
            }
            left.weight += room.weights[bin];
            let targets = &room.targets[bin * width..][..width];
            for (sum, target) in left.targets.iter_mut().zip(targets) {
                *sum += target;
            }
            self.consider(&left, all, whole, (place, bin as u8), best);
        }
    }
}
