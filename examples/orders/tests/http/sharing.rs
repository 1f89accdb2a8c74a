//! Two processes on one file.

use crate::program::{Home, eventually};

#[test]
fn the_second_process_shows_what_the_first_one_applies_and_takes_over_when_it_is_killed() {
    share(&Home::sqlite());
}

pub(crate) fn share(home: &Home) {
    let lease = ["--lease", "3"];
    let first = home.start_with(&lease);
    eventually("the first one is ready", || (first.phase() == "live").then_some(()));
    let second = home.start_with(&lease);
    eventually("the second one stands by", || (second.phase() == "standby").then_some(()));

    // What either takes in, both show.
    for (writer, reader) in [(&first, &second), (&second, &first), (&second, &second)] {
        let placed = writer.place("ada");
        let view = reader.get_after(&format!("/orders/{}", placed.order_id()), &placed.token);
        assert_eq!((view.status, view.body["state"].as_str()), (200, Some("open")), "{view:?}");
    }
    let ready = eventually("the second one is ready, too", || {
        let ready = second.get("/health/ready");
        (ready.status == 200).then_some(ready)
    });
    assert_eq!(ready.body["projections"][0]["health"], "standby");
    let owner = first.get("/projections").body[0]["owner"].clone();
    assert!(owner.is_string());
    assert_eq!(second.get("/projections").body[0]["owner"], owner);

    first.kill();
    let placed = second.place("ada");
    let view = second.get_after("/customers/ada", &placed.token);
    assert_eq!(view.body["placed"], 4, "{view:?}");
    eventually("the second one is the owner", || (second.phase() == "live").then_some(()));
    assert_ne!(second.get("/projections").body[0]["owner"], owner);
    assert!(second.is_ready());
}
