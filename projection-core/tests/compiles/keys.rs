//! What a key expression may be.

use std::collections::{BTreeMap, BTreeSet};

use projection_core::{Event, EventSet, Singleton, StreamId, projection};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Event)]
#[event(name = "OrderPlaced")]
struct OrderPlaced {
    order_id: String,
    customer: Option<String>,
    lines: Vec<Line>,
    number: i64,
    boxed: Box<str>,
    tags: BTreeSet<String>,
    counts: BTreeMap<String, i64>,
}

#[derive(Serialize, Deserialize)]
struct Line {
    sku: String,
}

#[derive(EventSet)]
enum OrderEvent {
    Placed(OrderPlaced),
}

#[derive(Default, Serialize, Deserialize)]
struct Seen(i64);

const EVERYTHING: String = String::new();

#[projection(name = "by-text", id = String, key = event.order_id)]
impl Seen {
    #[on]
    fn field(&mut self, _: &OrderPlaced) {}
    #[on(key = event.lines[0].sku)]
    fn place(&mut self, _: &OrderPlaced) {}
    #[on(key = event.boxed.to_string())]
    fn behind_a_box(&mut self, _: &OrderPlaced) {}
    #[on(key = event.customer)]
    fn option(&mut self, _: &OrderPlaced) {}
    #[on(key = event.customer.as_ref().filter(|name| !name.is_empty()))]
    fn option_of_borrowed(&mut self, _: &OrderPlaced) {}
    #[on(key = event.lines.iter().map(|line| &line.sku))]
    fn many(&mut self, _: &OrderPlaced) {}
    #[on(key = event.tags)]
    fn set(&mut self, _: &OrderPlaced) {}
    #[on(key = event.counts.keys())]
    fn map(&mut self, _: &OrderPlaced) {}
    #[on(key = [event.order_id.clone(), format!("{}", event.number)])]
    fn made(&mut self, _: &OrderPlaced) {}
    #[on(key = format!("{}", meta.stream_id()))]
    fn of_the_metadata(&mut self, _: &OrderPlaced) {}
    #[on(key = EVERYTHING)]
    fn constant(&mut self, _: &OrderPlaced) {}
    #[on(key = if event.number > 0 { Some(&event.order_id) } else { None })]
    fn none(&mut self, _: &OrderPlaced) {}
    #[on(key = event.order_id.split('/').map(|part| { return part.to_owned(); }))]
    fn a_closure_returns(&mut self, _: &OrderPlaced) {}
    #[on(key = (|| Some(event.customer.as_ref()?.clone()))())]
    fn a_closure_has_its_question_mark(&mut self, _: &OrderPlaced) {}
}

#[projection(name = "entries", id = String, key = match event { OrderEvent::Placed(placed) => &placed.order_id })]
fn entries(state: Seen, _: &OrderEvent) -> Seen {
    state
}

#[projection(name = "number", id = i64, key = event.number)]
fn number(state: i64, _: &OrderPlaced) -> i64 {
    state
}

#[projection(name = "streams", id = StreamId)]
fn streams(state: i64, _: &OrderPlaced, _id: &StreamId) -> i64 {
    state
}

#[projection(name = "all", singleton)]
fn all(state: i64, _: &OrderPlaced, _id: &Singleton) -> i64 {
    state
}

#[test]
fn a_key_is_one_value_an_option_or_many_owned_or_borrowed() {
    assert_eq!(crate::handlers_of::<Seen>(), ("by-text", 14));
    assert_eq!(crate::handlers_of::<entries>(), ("entries", 1));
    assert_eq!(crate::handlers_of::<number>(), ("number", 1));
    assert_eq!(crate::handlers_of::<streams>(), ("streams", 1));
    assert_eq!(crate::handlers_of::<all>(), ("all", 1));
}
