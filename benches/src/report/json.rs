//! The figures as one JSON object, for programs.

use serde_json::{Map, Value, json};

use super::{Report, ratios::Ratios, void};
use crate::{
    case::{Case, WayRuns},
    flights::FlightsCase,
    measure::Measured,
    options::Tuning,
    way::Way,
};

impl Report<'_> {
    /// One object: what was measured, each case, and the worst ratios of all cases.
    pub(crate) fn json(&self) -> Value {
        let args = self.args;
        let tuning = Tuning { memory_budget: args.memory_budget.map(|mib| mib << 20), ..Tuning::default() };
        let ratios: Vec<_> = self.cases.iter().map(|case| Ratios::of(case, Way::Rebuild)).collect();
        let mut json = json!({
            "benchmark": "replay",
            "store": args.store,
            "target": args.target,
            "write_concern": args.write_concern,
            "repeat": args.repeat,
            "seed": args.seed,
            "batch_size": args.batch_size,
            "memory_budget_bytes": tuning.budget(),
            "cases": self.cases.iter().map(of_case).collect::<Vec<_>>(),
            "flights": self.flights.as_ref().map(of_flights),
            "void": self.cases.iter().any(|case| void(case).is_some()),
        });
        if let (Value::Object(json), Some(Ok(Value::Object(worst)))) =
            (&mut json, Ratios::worst(&ratios).map(serde_json::to_value))
        {
            json.extend(worst);
        }
        json
    }
}

fn of_case(case: &Case) -> Value {
    let ways: Map<String, Value> = case.ways.iter().map(|runs| (runs.way.key().to_owned(), of_way(runs))).collect();
    let mut json = json!({
        "events": case.shape.events,
        "instances": case.shape.instances,
        "event_bytes": case.event_bytes,
        "ways": ways,
        "defaults": Ratios::of(case, Way::Default),
        "kill": case.killed,
        "void": void(case),
    });
    if let (Value::Object(json), Ok(Value::Object(ratios))) =
        (&mut json, serde_json::to_value(Ratios::of(case, Way::Rebuild)))
    {
        json.extend(ratios);
    }
    json
}

fn of_way(runs: &WayRuns) -> Value {
    let median = |value: fn(&Measured) -> f64| runs.spread(value).map(|spread| spread.median);
    let sent = runs.counted.sent_per_event();
    let replayed = |value: fn(&crate::measure::Replayed) -> f64| {
        runs.spread(|run| run.replayed.as_ref().map_or(f64::NAN, value)).filter(|_| runs.way.is_ours())
    };
    json!({
        "events": runs.measured.first().map(|run| run.events),
        "seconds": runs.spread(|run| run.seconds),
        "events_per_second": runs.spread(Measured::rate),
        "client_cpu_seconds": median(|run| run.client_cpu),
        "server_cpu_seconds": median(|run| run.server_cpu.unwrap_or(f64::NAN)).filter(|cpu| cpu.is_finite()),
        "peak_bytes": runs.spread(|run| run.peak_bytes as f64).map(|spread| spread.max),
        "round_trips_per_event": sent.map(|(round_trips, _)| round_trips),
        "statements_per_event": sent.map(|(_, statements)| statements),
        "batches": replayed(|replayed| replayed.batches as f64).map(|spread| spread.median),
        "instances_written": replayed(|replayed| replayed.instances_written as f64).map(|spread| spread.median),
        "worst_loss_seconds": replayed(|replayed| replayed.worst_loss_seconds).map(|spread| spread.max),
        "worst_loss_events": replayed(|replayed| replayed.worst_loss_events as f64).map(|spread| spread.max),
        "read_seconds": replayed(|replayed| replayed.read).map(|spread| spread.median),
        "decode_seconds": replayed(|replayed| replayed.decode).map(|spread| spread.median),
        "fold_seconds": replayed(|replayed| replayed.fold).map(|spread| spread.median),
        "flush_seconds": replayed(|replayed| replayed.flush).map(|spread| spread.median),
    })
}

fn of_flights(flights: &FlightsCase) -> Value {
    let views: Map<String, Value> = flights
        .runs
        .iter()
        .map(|runs| {
            let figures = json!({
                "seconds": runs.spread(|run| run.seconds),
                "events_per_second": runs.spread(Measured::rate),
                "peak_bytes": runs.spread(|run| run.peak_bytes as f64).map(|spread| spread.max),
            });
            (runs.view.unwrap_or("all").to_owned(), figures)
        })
        .collect();
    json!({ "events": flights.events, "views": views, "all_to_slowest": flights.all_to_slowest() })
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;
    use crate::{Args, report::ratios::tests::case};

    #[test]
    fn the_object_has_the_ratios_of_each_case_and_the_worst_of_all() {
        let args = Args::parse_from(["replay"]);
        let ways = [
            (Way::Rebuild, 2.0),
            (Way::Default, 4.0),
            (Way::PerEvent, 200.0),
            (Way::PlainBatch, 20.0),
            (Way::Scan, 1.0),
            (Way::Insert, 1.0),
        ];
        let json = Report { args: &args, cases: vec![case(&ways)], flights: None }.json();
        for ratio in ["vs_per_event", "vs_plain_batch", "vs_floor"] {
            assert_eq!(json[ratio], json["cases"][0][ratio], "{ratio}");
        }
        assert_eq!(json["vs_floor"], 1.0);
        assert_eq!(json["cases"][0]["defaults"]["vs_floor"], 2.0);
        assert_eq!(json["void"], false);
        let rebuild = &json["cases"][0]["ways"]["ours_rebuild"];
        assert_eq!(rebuild["events_per_second"]["median"], 500.0);
        assert_eq!(rebuild["seconds"], json!({ "median": 2.0, "min": 1.0, "max": 4.0 }));
        assert_eq!(rebuild["server_cpu_seconds"], Value::Null);
    }

    #[test]
    fn the_object_is_one_line() {
        let args = Args::parse_from(["replay"]);
        let json = Report { args: &args, cases: Vec::new(), flights: None }.json();
        assert!(!json.to_string().contains('\n'));
        assert_eq!(json["vs_floor"], Value::Null);
    }
}
