use projection_core::{StreamId, testing::given};
use time::{
    OffsetDateTime,
    macros::{datetime, offset},
};

use super::*;
use crate::{
    events::{Flight, FlightArrived, FlightCancelled, FlightDeparted, FlightScheduled},
    ids::{AirportDay, Carrier, TailNumber},
};

const NOON: OffsetDateTime = datetime!(2013-01-01 12:00 -5);

fn flight(tailnum: Option<&str>) -> Flight {
    Flight {
        carrier: "UA".into(),
        number: 15,
        origin: "EWR".into(),
        dest: "LAX".into(),
        tailnum: tailnum.map(Into::into),
    }
}

fn scheduled() -> FlightScheduled {
    let arrives = (NOON + time::Duration::hours(6)).to_offset(offset!(-8));
    FlightScheduled { flight: flight(Some("N1")), departs: NOON, arrives, distance_miles: 2454 }
}

fn departed(delay_minutes: i64) -> FlightDeparted {
    let departed = NOON + time::Duration::minutes(delay_minutes);
    FlightDeparted { flight: flight(Some("N1")), departed, delay_minutes }
}

fn arrived(delay_minutes: Option<i64>) -> FlightArrived {
    FlightArrived {
        flight: flight(Some("N1")),
        arrived: (NOON + time::Duration::hours(6)).to_offset(offset!(-8)),
        delay_minutes,
        air_minutes: Some(340),
        distance_miles: 2454,
    }
}

fn cancelled(tailnum: Option<&str>) -> FlightCancelled {
    FlightCancelled { flight: flight(tailnum), departs: NOON }
}

#[test]
fn an_airline_is_as_punctual_as_its_flights_whose_delay_is_said() {
    given::<Punctuality>()
        .event(scheduled())
        .event(departed(20))
        .event(arrived(Some(30)))
        .event(departed(-5))
        .event(arrived(None))
        .event(cancelled(None))
        .expect(&Carrier::from("UA"), |carrier| {
            assert_eq!((carrier.scheduled, carrier.departed, carrier.arrived, carrier.cancelled), (1, 2, 2, 1));
            assert_eq!((carrier.departure_delay_minutes, carrier.arrival_delay_minutes), (15, 30));
            assert_eq!((carrier.timed_arrivals, carrier.late_arrivals), (1, 1));
        });
}

#[test]
fn an_aircraft_is_where_it_was_seen_last() {
    given::<Aircraft>()
        .event(departed(0))
        .event(FlightDeparted { flight: Flight { origin: "JFK".into(), ..flight(Some("N1")) }, ..departed(0) })
        .event(arrived(None))
        .expect(&TailNumber::from("N1"), |aircraft| {
            assert_eq!((aircraft.legs, aircraft.changes_of_airport, aircraft.miles), (2, 1, 2454));
            assert_eq!(
                aircraft.last_routes.iter().map(ToString::to_string).collect::<Vec<_>>(),
                ["EWR-LAX", "JFK-LAX"]
            );
            let seen = aircraft.last_seen.as_ref().unwrap();
            assert_eq!((seen.airport.as_str(), seen.at.hour()), ("LAX", 15));
        });
}

// spec: P6
#[test]
fn a_flight_by_no_aircraft_changes_none() {
    given::<Aircraft>()
        .event(cancelled(None))
        .event(cancelled(Some("N2")))
        .expect(&TailNumber::from("N2"), |aircraft| assert_eq!(aircraft.cancelled, 1))
        .expect_instances(1);
}

#[test]
fn a_cancelled_flight_is_missed_at_both_ends() {
    given::<AirportTraffic>()
        .event(cancelled(None))
        .event(arrived(None))
        .expect(&AirportDay::from("EWR 2013-01-01"), |day| {
            assert_eq!((day.cancelled_departures, day.cancelled_arrivals, day.arrivals), (1, 0, 0));
        })
        .expect(&AirportDay::from("LAX 2013-01-01"), |day| {
            assert_eq!((day.cancelled_departures, day.cancelled_arrivals, day.arrivals), (0, 1, 1));
        });
}

#[test]
fn a_delay_past_midnight_is_another_day_of_the_airport() {
    given::<AirportTraffic>()
        .event(departed(12 * 60))
        .expect(&AirportDay::from("EWR 2013-01-02"), |day| assert_eq!(day.departures, 1))
        .expect_none(&AirportDay::from("EWR 2013-01-01"));
}

#[test]
fn a_flight_is_in_the_air_from_departure_to_arrival() {
    given::<Airborne>()
        .event(departed(0))
        .on_stream("one")
        .event(departed(5))
        .on_stream("two")
        .event(arrived(None))
        .expect(&StreamId::from("one"), |flight| assert_eq!(flight.since, NOON))
        .expect_none(&StreamId::from("two"));
}

#[test]
fn a_flight_that_was_never_scheduled_is_not_known() {
    given::<FlightStatus>()
        .event(departed(0))
        .on_stream("unknown")
        .event(scheduled())
        .on_stream("known")
        .event(departed(7))
        .event(arrived(Some(-3)))
        .expect_none(&StreamId::from("unknown"))
        .expect(&StreamId::from("known"), |flight| {
            assert_eq!(flight.departed, Some(NOON + time::Duration::minutes(7)));
            assert_eq!((flight.delay_minutes, flight.cancelled), (Some(-3), false));
        });
}

#[test]
fn of_equal_records_the_first_one_stays() {
    given::<Records>()
        .event(departed(30))
        .on_stream("first")
        .event(departed(30))
        .on_stream("second")
        .event(departed(-4))
        .expect(&projection_core::Singleton, |records| {
            assert_eq!(records.latest_departure.as_ref().unwrap().flight.as_str(), "first");
            assert_eq!(records.earliest_departure.as_ref().unwrap().minutes, 4);
            assert!(records.longest_in_air.is_none());
        });
}

#[test]
fn a_route_counts_its_flights_and_their_time_in_the_air() {
    given::<route_traffic>()
        .event(scheduled())
        .event(departed(0))
        .event(arrived(None))
        .event(cancelled(None))
        .expect(&"EWR-LAX".into(), |route| {
            assert_eq!((route.scheduled, route.departed, route.arrived, route.cancelled), (1, 1, 1, 1));
            assert_eq!((route.distance_miles, route.air_minutes), (2454, 340));
        });
}
