//! What a finished path leaves, as bytes for a [`Keeper`](crate::keeper::Keeper): all of it, bit
//! for bit, but for what is the same for all networks of the data.

use super::choose::GridPoint;
use super::jobs::{BestNetwork, Leader, Traced};
use super::score::Point;
use crate::activation::Activation;
use crate::certificate::Certificate;
use crate::groups::Groups;
use crate::keeper::{Packed, Unpacked};
use crate::network::{Mlp, Shape};
use crate::path::Step;
use crate::solver::{Solved, Status};
use crate::statistics::Estimate;

/// A path as it was found: what is left of it, and all of it where it was the best of its split.
pub struct Found {
    pub traced: Traced,
    pub leader: Option<Leader>,
}

impl Found {
    pub fn packed(&self) -> Vec<u8> {
        let mut out = Packed::default();
        let Traced {
            points,
            weight,
            null_loss,
            best,
            steps,
        } = &self.traced;
        out.many(points, put_point);
        out.number(*weight);
        out.number(*null_loss);
        out.many(best.as_slice(), |out, best| {
            out.number(best.loss);
            out.count(best.at.ridge);
            out.count(best.at.lambda);
            put_network(out, &best.network);
        });
        out.many(steps, put_step);
        out.many(self.leader.as_slice(), |out, leader| {
            out.number(leader.loss);
            out.count(leader.ridge);
            out.many(&leader.steps, put_step);
        });
        out.0
    }

    /// None if the bytes are no path of so many λs of data with these groups.
    pub fn unpacked(bytes: &[u8], lambdas: usize, groups: &Groups) -> Option<Found> {
        let mut from = Unpacked::new(bytes);
        let points = from.many(point)?;
        let (weight, null_loss) = (from.number()?, from.number()?);
        let best = from.many(|from| {
            Some(BestNetwork {
                loss: from.number()?,
                at: GridPoint {
                    ridge: from.count()?,
                    lambda: from.count()?,
                },
                network: network(from, groups)?,
            })
        })?;
        let steps = from.many(|from| step(from, groups))?;
        let leader = from.many(|from| {
            Some(Leader {
                loss: from.number()?,
                ridge: from.count()?,
                steps: from.many(|from| step(from, groups))?,
            })
        })?;
        let whole = |steps: &[Step]| steps.len() == lambdas;
        let sound = from.is_over()
            && points.len() == lambdas
            && (steps.is_empty() || whole(&steps))
            && leader.iter().all(|leader| whole(&leader.steps))
            && best.iter().all(|best| best.at.lambda < lambdas);
        sound.then(|| Found {
            traced: Traced {
                points,
                weight,
                null_loss,
                best: best.into_iter().next(),
                steps,
            },
            leader: leader.into_iter().next(),
        })
    }
}

/// The steps of a path.
pub fn packed_steps(steps: &[Step]) -> Vec<u8> {
    let mut out = Packed::default();
    out.many(steps, put_step);
    out.0
}

/// None if the bytes are no path of so many λs of data with these groups.
pub fn unpacked_steps(bytes: &[u8], lambdas: usize, groups: &Groups) -> Option<Vec<Step>> {
    let mut from = Unpacked::new(bytes);
    let steps = from.many(|from| step(from, groups))?;
    (from.is_over() && steps.len() == lambdas).then_some(steps)
}

fn put_point(out: &mut Packed, point: &Point) {
    out.count(point.size);
    out.number(point.train_loss);
    out.number(point.validation.mean);
    out.number(point.validation.se);
    out.count(point.epochs);
    put_status(out, point.status);
}

fn point(from: &mut Unpacked) -> Option<Point> {
    Some(Point {
        size: from.count()?,
        train_loss: from.number()?,
        validation: Estimate {
            mean: from.number()?,
            se: from.number()?,
        },
        epochs: from.count()?,
        status: status(from)?,
    })
}

fn put_step(out: &mut Packed, step: &Step) {
    out.number(step.lambda);
    put_network(out, &step.network);
    put_status(out, step.solved.status);
    out.count(step.solved.epochs);
    out.number(step.solved.loss);
    let Certificate {
        active,
        inactive,
        rest,
    } = step.solved.certificate;
    for violation in [active, inactive, rest] {
        out.number(violation);
    }
}

fn step(from: &mut Unpacked, groups: &Groups) -> Option<Step> {
    Some(Step {
        lambda: from.number()?,
        network: network(from, groups)?,
        solved: Solved {
            status: status(from)?,
            epochs: from.count()?,
            loss: from.number()?,
            certificate: Certificate {
                active: from.number()?,
                inactive: from.number()?,
                rest: from.number()?,
            },
        },
    })
}

const STATUSES: [Status; 5] = [
    Status::Converged,
    Status::EpochLimit,
    Status::Stopped,
    Status::Diverged,
    Status::Skipped,
];

fn put_status(out: &mut Packed, status: Status) {
    let place = STATUSES.iter().position(|&other| other == status);
    out.count(place.expect("all are there"));
}

fn status(from: &mut Unpacked) -> Option<Status> {
    STATUSES.get(from.count()?).copied()
}

fn put_network(out: &mut Packed, network: &Mlp) {
    let shape = &network.shape;
    out.many(&shape.widths, |out, &width| out.count(width));
    let activation = Activation::ALL.iter().position(|&a| a == shape.activation);
    out.count(activation.expect("all are there"));
    out.count(usize::from(shape.output_bias));
    out.count(usize::from(shape.shortcut));
    out.many(&network.inputs, |out, &input| out.count(input));
    out.many(&network.weights, |out, &weight| out.number(weight));
    out.many(network.chain.as_slice(), |out, &chain| out.count(chain));
}

fn network(from: &mut Unpacked, groups: &Groups) -> Option<Mlp> {
    let shape = Shape {
        widths: from.many(Unpacked::count)?,
        activation: *Activation::ALL.get(from.count()?)?,
        output_bias: from.count()? == 1,
        shortcut: from.count()? == 1,
        groups: groups.clone(),
    };
    let inputs = from.many(Unpacked::count)?;
    let weights = from.many(Unpacked::number)?;
    let chain = from.many(Unpacked::count)?.pop();
    // (no product of widths that are those of so many weights overflows; of survival without columns
    // there is no weight at all)
    let widths = &shape.widths;
    let plausible = widths.len() >= 2
        && widths[0] == inputs.len()
        && widths[1..]
            .iter()
            .all(|width| *width <= weights.len().max(1))
        && widths
            .windows(2)
            .all(|pair| pair[0].checked_mul(pair[1]).is_some())
        && shape.parameters() == weights.len();
    plausible.then_some(Mlp {
        shape,
        inputs,
        weights,
        chain,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::Task;
    use crate::random::{Purpose, Random};

    fn step_of(inputs: &[usize], shortcut: bool) -> Step {
        let mut shape = Shape::new(&[3, 2], 1, Activation::Gelu, Task::Cox);
        shape.shortcut = shortcut;
        let mut random = Random::new(1, Purpose::Weights, 0, 0);
        Step {
            lambda: 0.1,
            network: Mlp::random(inputs.to_vec(), shape, &mut random),
            solved: Solved {
                status: Status::EpochLimit,
                epochs: 7,
                loss: 1.0 / 3.0,
                certificate: Certificate {
                    active: 0.1,
                    inactive: 1e-300,
                    rest: 0.0,
                },
            },
        }
    }

    fn found() -> Found {
        let network = || step_of(&[1, 4], false).network;
        Found {
            traced: Traced {
                points: vec![Point {
                    size: 2,
                    train_loss: 0.5,
                    validation: Estimate { mean: 0.7, se: 0.1 },
                    epochs: 9,
                    status: Status::Converged,
                }],
                weight: 12.0,
                null_loss: 1.1,
                best: Some(BestNetwork {
                    loss: 0.7,
                    at: GridPoint {
                        ridge: 3,
                        lambda: 0,
                    },
                    network: network(),
                }),
                steps: vec![],
            },
            leader: Some(Leader {
                loss: 0.7,
                ridge: 3,
                steps: vec![step_of(&[0, 1, 4], true)],
            }),
        }
    }

    #[test]
    fn a_path_comes_back_as_it_was() {
        let (found, groups) = (found(), Groups::default());
        let bytes = found.packed();
        let back = Found::unpacked(&bytes, 1, &groups).unwrap();
        assert_eq!(back.packed(), bytes);
        let (best, own) = (back.traced.best.unwrap(), found.traced.best.unwrap());
        assert_eq!(best.network, own.network);
        let (leader, own) = (back.leader.unwrap(), found.leader.unwrap());
        assert_eq!(leader.steps[0].network, own.steps[0].network);
        assert_eq!(leader.steps[0].solved, own.steps[0].solved);
        let steps = packed_steps(&own.steps);
        let back = unpacked_steps(&steps, 1, &groups).unwrap();
        assert_eq!(packed_steps(&back), steps);
    }

    /// A file can hold anything.
    #[test]
    fn what_is_no_path_is_none() {
        let (bytes, groups) = (found().packed(), Groups::default());
        assert!(Found::unpacked(&bytes, 2, &groups).is_none());
        assert!(unpacked_steps(&packed_steps(&[]), 1, &groups).is_none());
        for end in 0..bytes.len() {
            assert!(Found::unpacked(&bytes[..end], 1, &groups).is_none());
        }
        for at in (0..bytes.len()).step_by(8) {
            let mut other = bytes.clone();
            other[at..at + 8].fill(0xff);
            // (a number may be any, a count cannot)
            let _ = Found::unpacked(&other, 1, &groups);
        }
    }
}
