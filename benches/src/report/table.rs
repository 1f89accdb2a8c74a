//! The figures as tables, for a person.

use std::fmt::Write as _;

use super::{
    Report,
    numbers::{megabytes, short, whole},
    ratios::Ratios,
    void,
};
use crate::{
    args::{Concern, StoreKind, TargetKind},
    case::{Case, WayRuns},
    flights::FlightsCase,
    kill::Killed,
    measure::{Measured, Spread},
    way::Way,
};

impl Report<'_> {
    /// A table for each case, and one for the flights.
    pub(crate) fn table(&self) -> String {
        let mut text = String::new();
        for case in &self.cases {
            self.head(&mut text, case);
            rows(&mut text, case);
            under(&mut text, case);
        }
        if let Some(flights) = &self.flights {
            of_flights(&mut text, flights);
        }
        text
    }

    fn head(&self, text: &mut String, case: &Case) {
        let store = match self.args.store {
            StoreKind::Mongo => "MongoDB",
            StoreKind::Sqlite => "SQLite",
        };
        let target = match self.args.target {
            TargetKind::Empty => "empty",
            TargetKind::Filled => "filled",
        };
        let concern = match self.args.write_concern {
            Concern::Majority => "majority",
            Concern::One => "w: 1",
        };
        _ = writeln!(
            text,
            "\n{} events of {:.0} bytes over {} instances; {store}, target {target}, write concern {concern}, \
             median (minimum to maximum) of {}\n",
            whole(case.shape.events as f64),
            case.event_bytes,
            whole(case.shape.instances as f64),
            self.args.repeat,
        );
    }
}

fn rows(text: &mut String, case: &Case) {
    _ = writeln!(
        text,
        "{:<22} {:>9} {:>26} {:>20} {:>7} {:>7} {:>7} {:>11} {:>11} {:>8}",
        "",
        "events/s",
        "(min to max)",
        "seconds",
        "client",
        "server",
        "peak",
        "round trips",
        "statements",
        "batches"
    );
    _ = writeln!(
        text,
        "{:<22} {:>9} {:>26} {:>20} {:>7} {:>7} {:>7} {:>11} {:>11} {:>8}",
        "", "", "", "", "CPU s", "CPU s", "MB", "an event", "an event", ""
    );
    for runs in &case.ways {
        row(text, runs);
    }
}

fn row(text: &mut String, runs: &WayRuns) {
    let (Some(rate), Some(seconds)) = (runs.spread(Measured::rate), runs.spread(|run| run.seconds)) else { return };
    let median = |value: fn(&Measured) -> f64| runs.spread(value).map_or(f64::NAN, |spread| spread.median);
    let server = median(|run| run.server_cpu.unwrap_or(f64::NAN));
    let peak = runs.measured.iter().map(|run| run.peak_bytes).max().unwrap_or(0);
    let sent = runs.counted.sent_per_event();
    let batches = runs.measured.iter().filter_map(|run| run.replayed).map(|replayed| replayed.batches).max();
    let dash = || "-".to_owned();
    _ = writeln!(
        text,
        "{:<22} {:>9} {:>26} {:>20} {:>7} {:>7} {:>7} {:>11} {:>11} {:>8}",
        runs.way.title(),
        whole(rate.median),
        between(&rate, whole),
        format!("{} ({}-{})", short(seconds.median), short(seconds.min), short(seconds.max)),
        short(median(|run| run.client_cpu)),
        if server.is_finite() { short(server) } else { dash() },
        megabytes(peak),
        sent.map_or_else(dash, |(round_trips, _)| short(round_trips)),
        sent.map_or_else(dash, |(_, statements)| short(statements)),
        batches.map_or_else(dash, |batches| whole(batches as f64)),
    );
}

fn between(spread: &Spread, number: fn(f64) -> String) -> String {
    format!("({} to {})", number(spread.min), number(spread.max))
}

fn under(text: &mut String, case: &Case) {
    _ = writeln!(text);
    for ours in [Way::Rebuild, Way::Default] {
        let ratios = Ratios::of(case, ours);
        let one = ratios.vs_per_event_w1.map_or(String::new(), |one| format!(" ({} x with w: 1)", short(one)));
        _ = writeln!(
            text,
            "{:<22} {} x per event{one}, {} x plain batch; {} x the time of scan and insert",
            ours.title(),
            short(ratios.vs_per_event),
            short(ratios.vs_plain_batch),
            short(ratios.vs_floor),
        );
        let replays = || case.runs(ours).into_iter().flat_map(|runs| &runs.measured).filter_map(|run| run.replayed);
        let seconds = replays().map(|replayed| replayed.worst_loss_seconds).fold(0.0, f64::max);
        let events = replays().map(|replayed| replayed.worst_loss_events).max().unwrap_or(0);
        _ = writeln!(
            text,
            "{:<22} a kill loses {} s of work at the worst, {} events",
            "",
            short(seconds),
            whole(events as f64)
        );
    }
    if let Some(killed) = &case.killed {
        kill(text, killed);
    }
    if let Some(why) = void(case) {
        _ = writeln!(text, "VOID: {why}");
    }
}

fn kill(text: &mut String, killed: &Killed) {
    let when = match killed.after_seconds {
        Some(seconds) => format!("killed after {} s", short(seconds)),
        None => "done before it could be killed".to_owned(),
    };
    _ = writeln!(
        text,
        "{:<22} {when}: {} s of work lost; resumed after event {}, {} s to the end once the lease had run out \
         ({} s); the view is right",
        "a rebuild, killed",
        short(killed.lost_seconds),
        whole(killed.resumed_after as f64),
        short(killed.resumed_seconds),
        short(killed.waited_seconds),
    );
}

fn of_flights(text: &mut String, flights: &FlightsCase) {
    _ = writeln!(text, "\n{} events of flights, rebuilt\n", whole(flights.events as f64));
    _ = writeln!(text, "{:<22} {:>9} {:>22} {:>9} {:>7}", "", "events/s", "(min to max)", "seconds", "peak MB");
    for runs in &flights.runs {
        let (Some(rate), Some(seconds)) = (runs.spread(Measured::rate), runs.spread(|run| run.seconds)) else {
            continue;
        };
        let peak = runs.measured.iter().map(|run| run.peak_bytes).max().unwrap_or(0);
        _ = writeln!(
            text,
            "{:<22} {:>9} {:>22} {:>9} {:>7}",
            runs.name(),
            whole(rate.median),
            between(&rate, whole),
            short(seconds.median),
            megabytes(peak)
        );
    }
    _ = writeln!(text, "\nall together take {} x the time of the slowest alone", short(flights.all_to_slowest()));
}
