//! Keys that name one, none or many instances.

use projection_core::{Handlers, Projection, projection};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{
    history::{OrderDeleted, OrderPlaced, OrderShipped, orders},
    recorder::assert_twins,
};

#[derive(Default, Serialize, Deserialize)]
struct Stock {
    sold: i64,
    last: String,
}

#[projection(name = "stock", id = String, key = event.skus.iter())]
impl Stock {
    #[on]
    fn sold(&mut self, _: &OrderPlaced, id: &String) {
        self.sold += 1;
        self.last = format!("sold {id}");
    }
}

struct StockByHand;

impl Projection for StockByHand {
    type State = Stock;
    type Id = String;
    const NAME: &'static str = "stock";

    fn handlers<H: Handlers<Self>>(handlers: &mut H) {
        handlers.on::<OrderPlaced>(
            |event, _, keys| {
                for sku in &event.skus {
                    keys.push(sku.clone());
                }
            },
            |state, _, _, id| {
                let state = state.get_or_insert_default();
                state.sold += 1;
                state.last = format!("sold {id}");
            },
        );
    }
}

// spec: B3
#[test]
fn an_event_changes_each_instance_once_however_often_its_key_names_it() {
    let states = assert_twins::<Stock, StockByHand>(&orders());
    assert_eq!(states[0]["\"tea\""], json!({ "sold": 1, "last": "sold tea" }));
    assert_eq!(states[0].len(), 2);
    assert_eq!(states[11]["\"tea\""]["sold"], 3);
}

/// Some orders name no customer.
#[derive(Default, Serialize, Deserialize)]
struct Customer {
    orders: u32,
}

#[projection(name = "customer", id = String, key = event.customer)]
impl Customer {
    #[on]
    fn ordered(&mut self, _: &OrderPlaced) {
        self.orders += 1;
    }
}

struct CustomerByHand;

impl Projection for CustomerByHand {
    type State = Customer;
    type Id = String;
    const NAME: &'static str = "customer";

    fn handlers<H: Handlers<Self>>(handlers: &mut H) {
        handlers.on::<OrderPlaced>(
            |event, _, keys| {
                if let Some(customer) = &event.customer {
                    keys.push(customer.clone());
                }
            },
            |state, _, _, _| state.get_or_insert_default().orders += 1,
        );
    }
}

// spec: P6
#[test]
fn an_event_without_a_key_changes_nothing() {
    let states = assert_twins::<Customer, CustomerByHand>(&orders());
    assert_eq!(states[1], states[2]);
    assert_eq!(states[11]["\"ann\""], json!({ "orders": 3 }));
}

/// Each event finds its place by another field.
#[derive(Default, Serialize, Deserialize)]
struct Place {
    departures: u32,
    arrivals: u32,
    deletions: u32,
}

#[projection(name = "place", id = String, key = event.from)]
impl Place {
    #[on]
    fn departed(&mut self, _: &OrderShipped) {
        self.departures += 1;
    }

    #[on(key = event.to)]
    fn arrived(&mut self, _: &OrderShipped) {
        self.arrivals += 1;
    }

    #[on(key = [event.order_id.0.clone(), meta.name().to_owned()])]
    fn deleted(&mut self, _: &OrderDeleted) {
        self.deletions += 1;
    }
}

struct PlaceByHand;

impl Projection for PlaceByHand {
    type State = Place;
    type Id = String;
    const NAME: &'static str = "place";

    fn handlers<H: Handlers<Self>>(handlers: &mut H) {
        handlers
            .on::<OrderShipped>(
                |event, _, keys| keys.push(event.from.clone()),
                |state, _, _, _| state.get_or_insert_default().departures += 1,
            )
            .on::<OrderShipped>(
                |event, _, keys| keys.push(event.to.clone()),
                |state, _, _, _| state.get_or_insert_default().arrivals += 1,
            )
            .on::<OrderDeleted>(
                |event, meta, keys| {
                    keys.push(event.order_id.0.clone());
                    keys.push(meta.name().to_owned());
                },
                |state, _, _, _| state.get_or_insert_default().deletions += 1,
            );
    }
}

// spec: B3
#[test]
fn a_handler_may_have_a_key_of_its_own() {
    let states = assert_twins::<Place, PlaceByHand>(&orders());
    assert_eq!(states[8]["\"HAM\""], json!({ "departures": 2, "arrivals": 2, "deletions": 0 }));
    assert_eq!(states[11]["\"OrderDeleted\""]["deletions"], 3);
}
