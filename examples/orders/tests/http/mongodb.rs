//! The same on MongoDB, in a database of its own for each test.

use acceptance::server::with_database;
use rustix::process::Signal;

use crate::{deciding, placing, program::Home, restarting, sharing};

async fn in_mongodb(scenario: impl FnOnce(&Home) + Send + 'static) {
    with_database(|test| async move {
        let home = Home::mongodb(test.uri(), test.database.name());
        tokio::task::spawn_blocking(move || scenario(&home)).await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn orders_are_seen_by_those_who_placed_them() {
    in_mongodb(placing::place_and_see).await;
    in_mongodb(placing::place_many).await;
}

#[tokio::test]
async fn what_is_asked_for_twice_is_done_once() {
    in_mongodb(placing::ask_twice).await;
    in_mongodb(placing::ask_at_once).await;
}

#[tokio::test]
async fn of_a_shipment_and_a_cancellation_at_once_one_is_recorded() {
    in_mongodb(deciding::ship_and_cancel).await;
}

// spec: B12
#[tokio::test]
async fn after_a_kill_everything_is_there() {
    in_mongodb(restarting::kill_and_start).await;
}

#[tokio::test]
async fn asked_to_end_it_gives_its_views_up() {
    in_mongodb(|home| restarting::end_and_start(home, Signal::TERM)).await;
}

#[tokio::test]
async fn the_second_process_takes_over_when_the_first_one_is_killed() {
    in_mongodb(sharing::share).await;
}
