//! Decisions that are made at the same time.

use std::thread;

use crate::program::Home;

#[test]
fn of_a_shipment_and_a_cancellation_at_once_one_is_recorded_and_the_other_refused() {
    ship_and_cancel(&Home::sqlite());
}

pub(crate) fn ship_and_cancel(home: &Home) {
    let program = home.start();
    for _ in 0..10 {
        let placed = program.place("ada");
        let order = format!("/orders/{}", placed.order_id());
        let ask = |what: &str| program.post(&format!("{order}/{what}"), None);
        let (shipped, cancelled) = thread::scope(|scope| {
            let (ship, cancel) = (scope.spawn(|| ask("ship")), scope.spawn(|| ask("cancel")));
            (ship.join().unwrap(), cancel.join().unwrap())
        });
        let (done, refused) = if shipped.status == 200 { (shipped, cancelled) } else { (cancelled, shipped) };
        assert_eq!((done.status, refused.status, refused.problem()), (200, 409, "refused"), "{done:?} {refused:?}");
        assert!(refused.detail().ends_with("only an open one can"), "{refused:?}");
        assert_eq!(program.get_after(&order, &done.token).body["state"], done.body["state"]);
    }
}

#[test]
fn an_order_that_was_never_placed_is_not_there_to_be_shipped() {
    let home = Home::sqlite();
    let program = home.start();
    let order = "/orders/6f1c2f0e-8a5b-4a53-9f0e-2f8e5a3c7d21";
    let answer = program.post(&format!("{order}/ship"), Some("ship-it-1"));
    assert_eq!((answer.status, answer.problem()), (404, "unknown-order"));
    let answer = program.get(order);
    assert_eq!((answer.status, answer.problem()), (404, "not-in-the-view"));
    assert!(answer.detail().contains("?after="), "{answer:?}");
}
