//! The program is ended, and started again.

use projection_core::append::NewEvent;
use rustix::process::Signal;
use serde_json::json;

use crate::program::{Home, eventually};

/// An order that was placed behind the program's back.
fn placed(number: usize) -> NewEvent {
    let lines = json!([{ "sku": "mug", "pieces": 1, "cents_each": 5 }]);
    let customer = format!("customer-{}", number % 100);
    let order_id = uuid::Uuid::new_v4();
    let order = json!({ "order_id": order_id, "customer_id": customer, "lines": lines, "total_cents": 5 });
    NewEvent::from_json("OrderPlaced", order.to_string())
}

// spec: B12
#[test]
fn after_a_kill_everything_is_there() {
    kill_and_start(&Home::sqlite());
}

pub(crate) fn kill_and_start(home: &Home) {
    let program = home.start();
    let placed = program.place("ada");
    let order = format!("/orders/{}", placed.order_id());
    let cancelled = program.post(&format!("{order}/cancel"), Some("never-mind"));
    program.kill();

    let program = home.start_with(&["--lease", "3"]);
    assert_eq!(program.get_after(&order, &cancelled.token).body["state"], "cancelled");
    let ada = program.get_after("/customers/ada", &cancelled.token);
    assert_eq!((&ada.body["placed"], &ada.body["total_cents"]), (&json!(1), &json!(0)));
    // It knows what it was asked for before.
    assert_eq!(program.post(&format!("{order}/cancel"), Some("never-mind")), cancelled);
    eventually("it is ready", || program.is_ready().then_some(()));
}

// spec: B41
#[test]
fn it_serves_while_it_replays_and_is_ready_when_it_has_caught_up() {
    let home = Home::sqlite();
    // So much that it is asked before it is done.
    let last = home.append(200, |_| (1..=200).map(placed).collect());
    let program = home.start();
    let early = program.get("/health/ready");
    assert_eq!((early.status, &early.body["ready"]), (503, &json!(false)), "{early:?}");
    assert_eq!(early.body["projections"][0]["health"], "catching up", "{early:?}");
    let live = program.get("/health/live");
    assert_eq!((live.status, &live.body["live"]), (200, &json!(true)), "a replay that advances is alive: {live:?}");

    eventually("it is ready", || program.is_ready().then_some(()));
    assert_eq!(program.get(&format!("/customers/customer-7?after={last}")).body["placed"], 400);
    let views = program.get("/projections").body;
    for view in [&views[0], &views[1]] {
        assert_eq!((&view["phase"], &view["position"], &view["lag"]), (&json!("live"), &json!(40_000), &json!(0)));
    }
}

#[test]
fn asked_to_end_it_answers_what_is_under_way_and_gives_its_views_up() {
    for signal in [Signal::TERM, Signal::INT] {
        end_and_start(&Home::sqlite(), signal);
    }
}

pub(crate) fn end_and_start(home: &Home, signal: Signal) {
    let program = home.start();
    let token = program.place("ada").token;
    program.get_after("/customers/ada", &token);
    let waiting = program.begin("/customers/ada?after=events:0..1000000");
    program.get("/health/live");
    program.signal(signal);
    let answer = waiting.join().unwrap();
    assert!(answer.contains("not-applied-yet"), "{answer}");
    assert_eq!(program.ended().code(), Some(0));

    // The next one does not wait for the end of a lease.
    let program = home.start_with(&["--lease", "3600"]);
    eventually("it is ready", || program.is_ready().then_some(()));
    assert_eq!(program.phase(), "live");
}
