//! Placing orders, and seeing them.

use std::thread;

use serde_json::json;

use crate::{client::mug, program::Home};

#[test]
fn an_order_is_seen_by_the_one_who_placed_it() {
    place_and_see(&Home::sqlite());
}

pub(crate) fn place_and_see(home: &Home) {
    let program = home.start();
    let placed = program.place("ada");
    assert_eq!(placed.body["total_cents"], 1980);

    let order = program.get_after(&format!("/orders/{}", placed.order_id()), &placed.token);
    assert_eq!((order.status, &order.body["state"]), (200, &json!("open")), "{order:?}");
    assert!(order.body["placed_at"].as_str().unwrap().ends_with('Z'), "{order:?}");

    let shipped = program.post(&format!("/orders/{}/ship", placed.order_id()), None);
    assert_eq!(shipped.status, 200, "{shipped:?}");
    let ada = program.get_after("/customers/ada", &shipped.token);
    assert_eq!(
        ada.body,
        json!({ "open_orders": [], "placed": 1, "shipped": 1, "cancelled": 0, "total_cents": 1980 })
    );

    // The token may also come as it went, in a header.
    let again = program.get_with_header("/customers/ada", &shipped.token);
    assert_eq!(again.body, ada.body);
}

#[test]
fn many_customers_at_once_each_see_what_they_ordered() {
    place_many(&Home::sqlite());
}

pub(crate) fn place_many(home: &Home) {
    let program = home.start();
    thread::scope(|scope| {
        for customer in ["ada", "bob", "cyd", "dan"] {
            let program = &program;
            scope.spawn(move || {
                for orders in 1..=10 {
                    let placed = program.place(customer);
                    let view = program.get_after(&format!("/customers/{customer}"), &placed.token);
                    assert_eq!(view.body["placed"], orders, "{view:?}");
                    assert_eq!(view.body["total_cents"], orders * 1980, "{view:?}");
                }
            });
        }
    });
}

#[test]
fn what_is_asked_for_twice_with_one_key_is_done_once_and_answered_twice() {
    ask_twice(&Home::sqlite());
}

pub(crate) fn ask_twice(home: &Home) {
    let program = home.start();
    let first = program.post_json("/orders", &mug("ada"), Some("ada-first-order"));
    let again = program.post_json("/orders", &mug("ada"), Some("ada-first-order"));
    assert_eq!((first.status, &first), (201, &again));

    let ship = format!("/orders/{}/ship", first.order_id());
    let (shipped, again) = (program.post(&ship, Some("ship-it-1")), program.post(&ship, Some("ship-it-1")));
    assert_eq!((shipped.status, &shipped), (200, &again));
    let refused = program.post(&ship, Some("ship-it-2"));
    assert_eq!((refused.status, refused.problem()), (409, "refused"));

    let view = program.get_after("/customers/ada", &shipped.token);
    assert_eq!((&view.body["placed"], &view.body["shipped"]), (&json!(1), &json!(1)));
}

#[test]
fn a_key_that_was_used_for_something_else_is_refused() {
    let home = Home::sqlite();
    let program = home.start();
    let placed = program.post_json("/orders", &mug("ada"), Some("ada-first-order"));
    let other = program.post_json("/orders", &mug("bob"), Some("ada-first-order"));
    assert_eq!((other.status, other.problem()), (422, "key-used"));
    let other = program.post(&format!("/orders/{}/ship", placed.order_id()), Some("ada-first-order"));
    assert_eq!((other.status, other.problem()), (422, "key-used"));
    assert!(other.detail().contains("use a new one"), "{other:?}");
}

#[test]
fn one_key_used_by_many_at_once_places_one_order() {
    ask_at_once(&Home::sqlite());
}

pub(crate) fn ask_at_once(home: &Home) {
    let program = home.start();
    let place = || program.post_json("/orders", &mug("ada"), Some("ada-first-order"));
    let answers: Vec<_> = thread::scope(|scope| {
        let all: Vec<_> = (0..8).map(|_| scope.spawn(place)).collect();
        all.into_iter().map(|one| one.join().unwrap()).collect()
    });
    assert_eq!(answers[0].status, 201, "{answers:?}");
    assert!(answers.iter().all(|answer| *answer == answers[0]), "{answers:?}");
    assert_eq!(program.get_after("/customers/ada", &answers[0].token).body["placed"], 1);
}
