//! The parts of the report, one function each.

use super::{
    numbers::{mean, minute, percent, whole},
    table::{
        Column::{Left, Right},
        Table,
    },
};
use crate::{
    figures::Figures,
    input::Malformed,
    names::airline,
    summary::Summary,
    views::{Record, Records, RouteTraffic},
};

pub(super) fn title(figures: &Figures) -> String {
    let checks = figures.checks;
    let days = figures.days.map_or_else(String::new, |(first, last)| {
        if first == last { format!(" on {first}") } else { format!(" from {first} to {last}") }
    });
    format!(
        "{} flights were to leave New York{days}: {} departed, {} arrived, {} were cancelled.",
        whole(checks.flights),
        whole(checks.departed),
        whole(checks.arrived),
        whole(checks.cancelled),
    )
}

pub(super) fn carriers(figures: &Figures) -> Table {
    let columns = [
        Left("airline"),
        Right("flights"),
        Right("cancelled"),
        Right("late to leave"),
        Right("late to arrive"),
        Right("by over 15 min"),
    ];
    let mut table = Table::new("The most delayed airlines", columns);
    for (id, carrier) in &figures.carriers {
        table.row([
            airline(id).to_owned(),
            whole(carrier.scheduled),
            percent(carrier.cancelled, carrier.scheduled),
            mean(carrier.departure_delay_minutes, carrier.departed),
            mean(carrier.arrival_delay_minutes, carrier.timed_arrivals),
            percent(carrier.late_arrivals, carrier.timed_arrivals),
        ]);
    }
    table
}

pub(super) fn aircraft(figures: &Figures) -> Table {
    let columns = [
        Left("aircraft"),
        Right("legs"),
        Right("miles"),
        Right("hours in the air"),
        Right("other airport"),
        Left("last seen"),
        Left("at"),
    ];
    let mut table = Table::new("The aircraft with the most legs", columns);
    for (id, aircraft) in &figures.aircraft {
        let seen = aircraft.last_seen.as_ref();
        table.row([
            id.to_string(),
            whole(aircraft.legs),
            whole(aircraft.miles),
            whole(aircraft.air_minutes / 60),
            percent(aircraft.changes_of_airport, aircraft.legs),
            seen.map_or_else(String::new, |seen| seen.airport.to_string()),
            seen.map_or_else(String::new, |seen| minute(seen.at)),
        ]);
    }
    table
}

pub(super) fn busiest_to_leave(figures: &Figures) -> Table {
    let columns = [Left("airport and day"), Right("departures"), Right("cancelled"), Right("late to leave")];
    let mut table = Table::new("The days on which most flights left an airport", columns);
    for (id, day) in &figures.busiest_to_leave {
        table.row([
            id.to_string(),
            whole(day.departures),
            whole(day.cancelled_departures),
            mean(day.departure_delay_minutes, day.departures),
        ]);
    }
    table
}

pub(super) fn busiest_to_arrive(figures: &Figures) -> Table {
    let columns = [Left("airport and day"), Right("arrivals"), Right("cancelled")];
    let mut table = Table::new("The days on which most flights from New York came to an airport", columns);
    for (id, day) in &figures.busiest_to_arrive {
        table.row([id.to_string(), whole(day.arrivals), whole(day.cancelled_arrivals)]);
    }
    table
}

pub(super) fn busiest_routes(figures: &Figures) -> Table {
    routes("The busiest routes", &figures.busiest_routes)
}

pub(super) fn longest_routes(figures: &Figures) -> Table {
    routes("The longest routes", &figures.longest_routes)
}

fn routes(heading: &str, routes: &[(crate::ids::Route, RouteTraffic)]) -> Table {
    let columns = [Left("route"), Right("flights"), Right("cancelled"), Right("miles"), Right("in the air")];
    let mut table = Table::new(heading, columns);
    for (id, route) in routes {
        table.row([
            id.to_string(),
            whole(route.scheduled),
            percent(route.cancelled, route.scheduled),
            whole(route.distance_miles.into()),
            mean(route.air_minutes, route.timed_flights),
        ]);
    }
    table
}

pub(super) fn records(records: &Records) -> Table {
    let mut table = Table::new("Records", [Left("record"), Right("minutes"), Left("flight")]);
    let all: [(&str, &Option<Record>); 4] = [
        ("left latest", &records.latest_departure),
        ("left earliest", &records.earliest_departure),
        ("arrived earliest", &records.earliest_arrival),
        ("longest in the air", &records.longest_in_air),
    ];
    for (name, record) in all {
        if let Some(record) = record {
            table.row([name.to_owned(), whole(record.minutes), record.flight.to_string()]);
        }
    }
    table
}

pub(super) fn airborne(figures: &Figures) -> Table {
    let left = figures.checks.departed - figures.checks.arrived;
    let heading = format!("Not known to have arrived: {} flights, the last ones first", whole(left));
    let mut table = Table::new(heading, [Left("flight"), Left("route"), Left("aircraft"), Left("left at")]);
    for (id, flight) in &figures.airborne {
        table.row([
            id.to_string(),
            flight.route.to_string(),
            flight.tailnum.as_ref().map_or_else(String::new, ToString::to_string),
            minute(flight.since),
        ]);
    }
    table
}

pub(super) fn stored(figures: &Figures, summary: &Summary) -> Table {
    let heading = format!(
        "{} events, of which {} tell of no aircraft; {} malformed rows",
        whole(i64::try_from(summary.events).unwrap_or(i64::MAX)),
        whole(summary.skipped),
        whole(i64::try_from(summary.malformed).unwrap_or(i64::MAX)),
    );
    let mut table = Table::new(heading, [Left("view"), Right("instances")]);
    for (name, instances) in &figures.instances {
        table.row([(*name).to_owned(), whole(i64::try_from(*instances).unwrap_or(i64::MAX))]);
    }
    table
}

pub(super) fn malformed(first: &[Malformed], all: u64) -> Table {
    let mut table = Table::new("Malformed rows", [Right("line"), Left("what is wrong")]);
    for row in first {
        table.row([row.line.to_string(), row.fault.to_string()]);
    }
    let others = all.saturating_sub(first.len() as u64);
    if others > 0 {
        table.row(["…".to_owned(), format!("and {others} more")]);
    }
    table
}
