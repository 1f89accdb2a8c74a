//! Ours beside the others, and whether the run may be believed.

use serde::Serialize;

use crate::{case::Case, way::Way};

/// Ours beside the others, by medians.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub(super) struct Ratios {
    /// How many times as many events a second as the per-event way, which waits for a majority as ours does.
    pub(super) vs_per_event: f64,
    /// The same where it waits for the primary alone; `null` where there is no such thing.
    pub(super) vs_per_event_w1: Option<f64>,
    /// How many times as many events a second as the straightforward batch.
    pub(super) vs_plain_batch: f64,
    /// How many times the time of the scan and the insert floor together: 1 is as fast as the database allows.
    pub(super) vs_floor: f64,
}

impl Ratios {
    /// Of one of our ways.
    pub(super) fn of(case: &Case, ours: Way) -> Self {
        let floor = case.seconds(Way::Scan) + case.seconds(Way::Insert);
        let one = case.runs(Way::PerEventOne).map(|_| case.rate(ours) / case.rate(Way::PerEventOne));
        Self {
            vs_per_event: case.rate(ours) / case.rate(Way::PerEvent),
            vs_per_event_w1: one,
            vs_plain_batch: case.rate(ours) / case.rate(Way::PlainBatch),
            vs_floor: case.seconds(ours) / floor,
        }
    }

    /// The worst of several cases.
    pub(super) fn worst(all: &[Self]) -> Option<Self> {
        let least = |value: fn(&Self) -> f64| all.iter().map(value).fold(f64::INFINITY, f64::min);
        let one = all.iter().filter_map(|ratios| ratios.vs_per_event_w1).fold(f64::INFINITY, f64::min);
        (!all.is_empty()).then(|| Self {
            vs_per_event: least(|ratios| ratios.vs_per_event),
            vs_per_event_w1: one.is_finite().then_some(one),
            vs_plain_batch: least(|ratios| ratios.vs_plain_batch),
            vs_floor: all.iter().map(|ratios| ratios.vs_floor).fold(0.0, f64::max),
        })
    }
}

/// The part of the scan floor that the plain batch must reach, or something is wrong with the server or the machine.
const BELIEVABLE: f64 = 0.025;

/// Why the figures of a case may not be believed.
pub(crate) fn void(case: &Case) -> Option<String> {
    let (plain, scan) = (case.rate(Way::PlainBatch), case.rate(Way::Scan));
    (plain < BELIEVABLE * scan).then(|| {
        format!(
            "over {} instances the plain batch makes {plain:.0} events a second, less than 2.5 % of the scan's \
             {scan:.0}: the server or the machine was busy with something else, and the ratios flatter us",
            case.shape.instances
        )
    })
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::{case::WayRuns, generate::Shape, measure::Measured};

    /// A case in which each way took so many seconds.
    pub(in crate::report) fn case(seconds: &[(Way, f64)]) -> Case {
        let shape = Shape { events: 1000, instances: 10, event_bytes: 330, seed: 7 };
        let run = |seconds| Measured { events: 1000, seconds, ..Measured::default() };
        let ways = seconds.iter().map(|(way, seconds)| WayRuns {
            way: *way,
            counted: run(1.0),
            measured: vec![run(*seconds), run(seconds * 2.0), run(seconds / 2.0)],
        });
        Case { shape, event_bytes: 331.0, ways: ways.collect(), killed: None }
    }

    #[test]
    fn ratios_are_of_medians_and_the_floor_is_a_sum() {
        let case = case(&[
            (Way::Rebuild, 2.0),
            (Way::PerEvent, 200.0),
            (Way::PerEventOne, 100.0),
            (Way::PlainBatch, 20.0),
            (Way::Scan, 1.0),
            (Way::Insert, 0.25),
        ]);
        let ratios = Ratios::of(&case, Way::Rebuild);
        let expected =
            Ratios { vs_per_event: 100.0, vs_per_event_w1: Some(50.0), vs_plain_batch: 10.0, vs_floor: 1.6 };
        assert_eq!(ratios, expected);
        assert_eq!(void(&case), None);
    }

    #[test]
    fn a_plain_batch_that_crawls_makes_the_run_void() {
        let case = case(&[(Way::PlainBatch, 50.0), (Way::Scan, 1.0)]);
        let why = void(&case).unwrap();
        assert!(why.contains("20 events a second, less than 2.5 % of the scan's 1000"), "{why}");
    }

    #[test]
    fn the_worst_case_is_the_least_gain_and_the_farthest_from_the_floor() {
        let one = Ratios { vs_per_event: 9.0, vs_per_event_w1: None, vs_plain_batch: 2.0, vs_floor: 1.0 };
        let other = Ratios { vs_per_event: 5.0, vs_per_event_w1: None, vs_plain_batch: 3.0, vs_floor: 2.0 };
        let worst = Ratios::worst(&[one, other]).unwrap();
        assert_eq!(worst, Ratios { vs_per_event: 5.0, vs_per_event_w1: None, vs_plain_batch: 2.0, vs_floor: 2.0 });
        assert_eq!(Ratios::worst(&[]), None);
    }
}
