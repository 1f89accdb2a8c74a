//! Waiting for an append that does not come into a view.

use projection_core::append::NewEvent;
use serde_json::json;

use crate::program::{Home, eventually};

#[test]
fn what_is_not_applied_in_time_is_to_be_asked_for_again() {
    let home = Home::sqlite();
    let program = home.start();
    let answer = program.get("/customers/ada?after=events:0..1000000");
    assert_eq!((answer.status, answer.problem()), (503, "not-applied-yet"));
    assert_eq!(answer.retry_after.as_deref(), Some("1"));
    assert!(answer.detail().contains("has not applied position 1000000 within 2s"), "{answer:?}");
}

/// An order that no client can place, of a sum that does not fit beside another.
fn immense() -> NewEvent {
    let order_id = uuid::Uuid::new_v4();
    let order = json!({ "order_id": order_id, "customer_id": "whale", "lines": [], "total_cents": i64::MAX });
    NewEvent::from_json("OrderPlaced", order.to_string())
}

// spec: B14
#[test]
fn who_waits_for_an_event_that_cannot_be_applied_is_told_so_and_others_go_on() {
    let home = Home::sqlite();
    let program = home.start();
    let first = home.append(1, |_| vec![immense()]);
    let whale = program.get_after("/customers/whale", &first);
    assert_eq!(whale.body["total_cents"], i64::MAX, "{whale:?}");

    let second = home.append(1, |_| vec![immense()]);
    let answer = program.get_after("/customers/whale", &second);
    assert_eq!((answer.status, answer.problem()), (500, "parked"));
    assert!(answer.detail().contains("attempt to add with overflow"), "{answer:?}");
    assert_eq!(program.get("/customers/whale").body, whale.body, "it stays as it was");

    let placed = program.place("ada");
    assert_eq!(program.get_after("/customers/ada", &placed.token).body["placed"], 1);
    let customers = eventually("the view is ready", || {
        let customers = program.get("/projections").body[1].clone();
        (customers["health"] == "ready").then_some(customers)
    });
    assert_eq!(customers["name"], "customers");
    assert_eq!(customers["parked"][0]["instance"], "\"whale\"", "{customers}");
    assert!(program.is_ready(), "a parked instance does not make the service unready");
}
