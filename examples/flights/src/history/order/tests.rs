use std::collections::{BTreeSet, HashMap, HashSet};

use proptest::{collection::vec, option, prelude::*};

use super::*;
use crate::{
    history::FlightHistory,
    input::{self, Arrival, Codes, Outcome},
};

/// Rows as the file has them, without their header.
fn history(rows: &[&str]) -> FlightHistory {
    let file = format!("{}\n{}", input::COLUMNS.join(","), rows.join("\n"));
    input::read(file.as_bytes(), |row| panic!("{row}")).unwrap()
}

/// What happened, as `time name`, the time by the clocks at that place.
fn log(history: &FlightHistory) -> Vec<String> {
    use crate::events::FlightEvent::{Arrived, Cancelled, Departed, Scheduled};
    let line = |at: time::OffsetDateTime, name: &str| {
        let (date, hour, minute) = (at.date(), at.hour(), at.minute());
        format!("{date} {hour:02}:{minute:02} {name}")
    };
    let shown = |event| match event {
        Scheduled(event) => line(event.departs, "planned"),
        Departed(event) => line(event.departed, "departed"),
        Arrived(event) => line(event.arrived, "arrived"),
        Cancelled(event) => line(event.departs, "cancelled"),
    };
    history.events().map(|recorded| shown(recorded.event)).collect()
}

#[test]
fn an_arrival_after_midnight_is_on_the_next_day() {
    let history =
        history(&["2013,1,1,2102,2108,-6,146,158,-12,UA,1180,N78511,EWR,SJU,199,1608,21,8,2013-01-02T02:00:00Z"]);
    assert_eq!(
        log(&history),
        ["2013-01-01 21:08 planned", "2013-01-01 21:02 departed", "2013-01-02 01:46 arrived"]
    );
}

#[test]
fn a_departure_that_is_delayed_past_midnight_is_on_the_next_day() {
    let history =
        history(&["2013,1,1,848,1835,853,1001,1950,851,MQ,3944,N942MQ,JFK,BWI,41,184,18,35,2013-01-01T23:00:00Z"]);
    assert_eq!(
        log(&history),
        ["2013-01-01 18:35 planned", "2013-01-02 08:48 departed", "2013-01-02 10:01 arrived"]
    );
}

#[test]
fn clocks_at_the_destination_may_show_less_than_at_departure() {
    // Honolulu, where clocks are five hours behind.
    let history =
        history(&["2013,1,1,857,900,-3,1516,1530,-14,HA,51,N380HA,JFK,HNL,659,4983,9,0,2013-01-01T14:00:00Z"]);
    let events: Vec<_> = history.events().collect();
    let elapsed = events[2].metadata.time().unwrap() - events[1].metadata.time().unwrap();
    assert_eq!(elapsed.whole_minutes(), 6 * 60 + 19 + 5 * 60);
}

#[test]
fn an_unknown_destination_arrives_after_its_time_in_the_air() {
    // Ten minutes by the clocks, of which a hundred in the air: so the clocks there are two hours behind.
    let history = history(&["2013,1,1,900,900,0,910,910,0,UA,1,N1,JFK,QQQ,100,500,9,0,2013-01-01T14:00:00Z"]);
    let events: Vec<_> = history.events().collect();
    let elapsed = events[2].metadata.time().unwrap() - events[1].metadata.time().unwrap();
    assert_eq!(elapsed.whole_minutes(), 130);
}

#[test]
fn nothing_is_told_that_the_data_does_not_say() {
    let history = history(&[
        // Cancelled, by an aircraft that is not said.
        "2013,1,1,NA,600,NA,NA,901,NA,B6,125,NA,JFK,FLL,NA,1069,6,0,2013-01-01T11:00:00Z",
        // Departed, and not known to have arrived.
        "2013,1,1,2016,1930,46,NA,2220,NA,EV,4204,N14168,EWR,OKC,NA,1325,19,30,2013-01-02T00:00:00Z",
        // Arrived, and not said how late: it was diverted.
        "2013,1,1,1525,1530,-5,1934,1805,NA,MQ,4525,N719MQ,LGA,XNA,NA,1147,15,30,2013-01-01T20:00:00Z",
    ]);
    assert_eq!(
        log(&history),
        [
            "2013-01-01 06:00 planned",
            "2013-01-01 19:30 planned",
            "2013-01-01 15:30 planned",
            "2013-01-01 06:00 cancelled",
            "2013-01-01 15:25 departed",
            "2013-01-01 20:16 departed",
            "2013-01-01 19:34 arrived", // by the clocks in Arkansas
        ]
    );
}

#[test]
fn copies_follow_one_another_with_other_flights() {
    let history = history(&[
        "2013,1,1,NA,1630,NA,NA,1815,NA,EV,4308,N18120,EWR,RDU,NA,416,16,30,2013-01-01T21:00:00Z",
        "2013,1,2,NA,600,NA,NA,901,NA,B6,125,NA,JFK,FLL,NA,1069,6,0,2013-01-02T11:00:00Z",
    ])
    .with_copies(3);
    assert_eq!((history.flights(), history.len()), (6, 12));
    let events: Vec<_> = history.events().collect();
    assert_eq!(events.len(), 12);
    assert!(events.is_sorted_by_key(|recorded| (recorded.metadata.time(), recorded.metadata.position())));
    let streams: BTreeSet<_> = events.iter().map(|recorded| recorded.metadata.stream_id().as_str()).collect();
    assert_eq!(streams.len(), 6, "{streams:?}");
    assert_eq!(events[11].metadata.stream_id().as_str(), "2013-01-08-B6125-JFK");
}

#[test]
fn another_order_of_rows_or_another_row_is_another_history() {
    let first = "2013,1,1,NA,1630,NA,NA,1815,NA,EV,4308,N18120,EWR,RDU,NA,416,16,30,2013-01-01T21:00:00Z";
    let second = "2013,1,2,NA,600,NA,NA,901,NA,B6,125,NA,JFK,FLL,NA,1069,6,0,2013-01-02T11:00:00Z";
    let fingerprint = |rows: &[&str]| history(rows).fingerprint().to_string();
    assert_eq!(fingerprint(&[first, second]), fingerprint(&[first, second]));
    assert_ne!(fingerprint(&[first, second]), fingerprint(&[second, first]));
    assert_ne!(fingerprint(&[first, second]), fingerprint(&[first]));
    assert_ne!(fingerprint(&[first]), history(&[first]).with_copies(2).fingerprint().to_string());
}

/// Any row that a file may have: its clock times fit its delays, and the rest is as it comes.
fn any_row() -> impl Strategy<Value = Row> {
    let arrival = (1..3000_i32, option::of(-100..2000_i16), option::of(0..900_u16))
        .prop_map(|(elapsed, delay, air_minutes)| Arrival { elapsed, delay, air_minutes });
    let departed =
        (-720..3000_i16, option::of(arrival)).prop_map(|(delay, arrival)| Outcome::Departed { delay, arrival });
    let outcome = prop_oneof![Just(Outcome::Cancelled), departed];
    let codes = (0..4_usize, 0..4_usize, 0..4_usize);
    (22_000_000..22_010_000, any::<u16>(), codes, prop_oneof![Just(-4_i8), Just(-5)], outcome).prop_map(
        |(scheduled, number, (carrier, origin, dest), origin_hours, outcome)| {
            let code = |at: usize| {
                let mut codes = Codes::default();
                (0..=at).filter_map(|at| codes.intern(&at.to_string())).last().unwrap()
            };
            Row {
                carrier: code(carrier),
                origin: code(origin),
                dest: code(dest),
                tailnum: None,
                scheduled,
                scheduled_minutes: 60,
                number,
                distance_miles: 100,
                origin_hours,
                dest_hours: origin_hours - 3,
                outcome,
            }
        },
    )
}

proptest! {
    #[test]
    fn a_flight_is_scheduled_before_it_departs_and_departs_before_it_arrives(
        rows in vec(any_row(), 0..60),
        copies in 1..4_u32,
    ) {
        let mut codes = Codes::default();
        for code in 0..4 {
            codes.intern(&code.to_string());
        }
        let mut seen = HashSet::new();
        let rows: Vec<Row> = rows.into_iter().filter(|row| seen.insert(FlightHistory::identity(row))).collect();
        let flights = rows.len() as u64 * u64::from(copies);
        let history = FlightHistory::new(codes, rows).with_copies(copies);

        let mut versions = HashMap::<String, u64>::new();
        let mut last = None;
        for (position, recorded) in (1_u64..).zip(history.events()) {
            let (metadata, now) = (&recorded.metadata, recorded.metadata.time());
            prop_assert_eq!(metadata.position().as_u64(), position);
            prop_assert!(last <= now);
            last = now;
            let version = versions.entry(metadata.stream_id().to_string()).or_default();
            *version += 1;
            prop_assert_eq!(*version, metadata.stream_version());
        }
        prop_assert_eq!(versions.len() as u64, flights);
        prop_assert!(versions.values().all(|version| *version >= 2));
    }
}
