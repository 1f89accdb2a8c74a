//! The figures of the report, from the stored views.

mod checks;
mod ratio;
mod top;

use std::{cmp::Reverse, collections::BTreeMap};

use projection_core::{Projection, StoreError, StreamId};
use time::Date;

pub use checks::{Checks, Disagreement};
pub use ratio::ratio;
pub use top::Top;

use crate::{
    ids::{AirportDay, Carrier, Route, TailNumber},
    stored::StoredViews,
    views::{Airborne, Aircraft, AirportTraffic, FlightStatus, Punctuality, Records, RouteTraffic, route_traffic},
};

/// How many rows of a long list are shown.
const SHOWN: usize = 10;

/// What the stored views say.
#[derive(Debug, Default)]
pub struct Figures {
    /// How many instances each view has.
    pub instances: BTreeMap<&'static str, u64>,
    /// The sums over the flights.
    pub checks: Checks,
    /// Events that tell of no aircraft, so that they changed no instance of `aircraft`.
    pub skipped: i64,
    /// The first and the last day on which a flight was to leave.
    pub days: Option<(Date, Date)>,
    /// All airlines, those first whose flights arrive latest.
    pub carriers: Vec<(Carrier, Punctuality)>,
    /// The aircraft with the most legs.
    pub aircraft: Vec<(TailNumber, Aircraft)>,
    /// The days on which the most flights left an airport.
    pub busiest_to_leave: Vec<(AirportDay, AirportTraffic)>,
    /// The days on which the most flights came to an airport.
    pub busiest_to_arrive: Vec<(AirportDay, AirportTraffic)>,
    /// The routes with the most flights.
    pub busiest_routes: Vec<(Route, RouteTraffic)>,
    /// The longest routes.
    pub longest_routes: Vec<(Route, RouteTraffic)>,
    /// Flights that are not known to have arrived, the last ones first.
    pub airborne: Vec<(StreamId, Airborne)>,
    /// The records.
    pub records: Records,
}

impl Figures {
    /// Reads every view.
    ///
    /// # Errors
    ///
    /// When the store cannot be read; [`Disagreement`] where two views do not tell the same of the flights.
    pub async fn read(stored: &impl StoredViews) -> Result<Self, FiguresError> {
        let mut figures = Self::default();
        figures.read_flights(stored).await?;
        figures.read_carriers(stored).await?;
        figures.read_routes(stored).await?;
        figures.read_aircraft(stored).await?;
        figures.read_airports(stored).await?;
        figures.read_airborne(stored).await?;
        let records = &mut figures.records;
        let instances = stored.each::<Records>(|_, stored| *records = stored).await?;
        figures.instances.insert(Records::NAME, instances);
        Ok(figures)
    }

    async fn read_flights(&mut self, stored: &impl StoredViews) -> Result<(), FiguresError> {
        let (checks, days) = (&mut self.checks, &mut self.days);
        let visit = |_, flight: FlightStatus| {
            checks.flights += 1;
            checks.departed += i64::from(flight.departed.is_some());
            checks.arrived += i64::from(flight.arrived.is_some());
            checks.cancelled += i64::from(flight.cancelled);
            let day = flight.departs.date();
            let (first, last) = days.unwrap_or((day, day));
            *days = Some((first.min(day), last.max(day)));
        };
        let instances = stored.each::<FlightStatus>(visit).await?;
        self.instances.insert(FlightStatus::NAME, instances);
        Ok(())
    }

    async fn read_carriers(&mut self, stored: &impl StoredViews) -> Result<(), FiguresError> {
        let carriers = &mut self.carriers;
        let instances = stored.each::<Punctuality>(|id, carrier| carriers.push((id, carrier))).await?;
        let mean = |carrier: &Punctuality| {
            ratio(carrier.arrival_delay_minutes, carrier.timed_arrivals).unwrap_or(f64::NEG_INFINITY)
        };
        carriers.sort_by(|(left_id, left), (right_id, right)| {
            mean(right).total_cmp(&mean(left)).then_with(|| left_id.cmp(right_id))
        });
        let sums = carriers.iter().map(|(_, carrier)| Checks {
            flights: carrier.scheduled,
            departed: carrier.departed,
            arrived: carrier.arrived,
            cancelled: carrier.cancelled,
        });
        self.checks.agree(Punctuality::NAME, sums.sum())?;
        self.instances.insert(Punctuality::NAME, instances);
        Ok(())
    }

    async fn read_routes(&mut self, stored: &impl StoredViews) -> Result<(), FiguresError> {
        let mut sums = Checks::default();
        let (mut busiest, mut longest) = (Top::of(SHOWN), Top::of(SHOWN / 2));
        let visit = |id: Route, route: RouteTraffic| {
            sums += Checks {
                flights: route.scheduled,
                departed: route.departed,
                arrived: route.arrived,
                cancelled: route.cancelled,
            };
            busiest.offer((Reverse(route.scheduled), id.clone()), &route);
            longest.offer((Reverse(route.distance_miles), id), &route);
        };
        let instances = stored.each::<route_traffic>(visit).await?;
        self.checks.agree(<route_traffic as Projection>::NAME, sums)?;
        self.busiest_routes = busiest.into_iter().map(|((_, id), route)| (id, route)).collect();
        self.longest_routes = longest.into_iter().map(|((_, id), route)| (id, route)).collect();
        self.instances.insert(<route_traffic as Projection>::NAME, instances);
        Ok(())
    }

    async fn read_aircraft(&mut self, stored: &impl StoredViews) -> Result<(), FiguresError> {
        let mut top = Top::of(SHOWN);
        let mut told = 0;
        let visit = |id: TailNumber, aircraft: Aircraft| {
            told += aircraft.legs + aircraft.arrived + aircraft.cancelled;
            top.offer((Reverse(aircraft.legs), id), &aircraft);
        };
        let instances = stored.each::<Aircraft>(visit).await?;
        self.skipped = self.checks.departed + self.checks.arrived + self.checks.cancelled - told;
        self.aircraft = top.into_iter().map(|((_, id), aircraft)| (id, aircraft)).collect();
        self.instances.insert(Aircraft::NAME, instances);
        Ok(())
    }

    async fn read_airports(&mut self, stored: &impl StoredViews) -> Result<(), FiguresError> {
        let (mut leaving, mut arriving) = (Top::of(SHOWN / 2), Top::of(SHOWN / 2));
        let mut sums = Checks { flights: self.checks.flights, ..Checks::default() };
        let visit = |id: AirportDay, day: AirportTraffic| {
            sums.departed += day.departures;
            sums.arrived += day.arrivals;
            sums.cancelled += day.cancelled_departures;
            leaving.offer((Reverse(day.departures), id.clone()), &day);
            arriving.offer((Reverse(day.arrivals), id), &day);
        };
        let instances = stored.each::<AirportTraffic>(visit).await?;
        self.checks.agree(AirportTraffic::NAME, sums)?;
        self.busiest_to_leave = leaving.into_iter().map(|((_, id), day)| (id, day)).collect();
        self.busiest_to_arrive = arriving.into_iter().map(|((_, id), day)| (id, day)).collect();
        self.instances.insert(AirportTraffic::NAME, instances);
        Ok(())
    }

    async fn read_airborne(&mut self, stored: &impl StoredViews) -> Result<(), FiguresError> {
        let mut last = Top::of(SHOWN / 2);
        let visit = |id, flight: Airborne| last.offer((Reverse(flight.since), id), &flight);
        let instances = stored.each::<Airborne>(visit).await?;
        let arrived = self.checks.departed - i64::try_from(instances).unwrap_or(i64::MAX);
        self.checks.agree(Airborne::NAME, Checks { arrived, ..self.checks })?;
        self.airborne = last.into_iter().map(|((_, id), flight)| (id, flight)).collect();
        self.instances.insert(Airborne::NAME, instances);
        Ok(())
    }
}

/// The figures cannot be had.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FiguresError {
    /// The store cannot be read.
    #[error("the stored views cannot be read")]
    Store(#[from] StoreError),
    /// Two views do not tell the same.
    #[error(transparent)]
    Disagreement(#[from] Disagreement),
}
