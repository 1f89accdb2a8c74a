//! A module may have names of its own for what the prelude and the crate have.
#![allow(dead_code)]

use projection_core::{Event, EventSet, projection};

type StdOption<T> = std::option::Option<T>;

// Written by hand: serde's own derives and those of the standard library are not what is tried here.
mod by_hand {
    use super::{Order, Placed};

    impl<'de> serde::Deserialize<'de> for Placed {
        fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
            Ok(Self { id: i64::deserialize(from)? })
        }
    }

    impl<'de> serde::Deserialize<'de> for Order {
        fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
            Ok(Self { id: i64::deserialize(from)? })
        }
    }

    impl serde::Serialize for Order {
        fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
            self.id.serialize(to)
        }
    }

    impl Default for Order {
        fn default() -> Self {
            Self { id: 1 }
        }
    }
}

struct Option;
struct Result;
struct Vec;
struct String;
struct Some;
struct None;
struct Ok;
struct Err;
struct Index;
struct Keys;
struct Handlers;
struct Projection;
struct H;
trait Default {}
trait FnOnce {}
trait From {}
trait Into {}
trait Iterator {}
trait IntoIterator {}

#[derive(Event)]
#[event(name = "Placed", aliases = ["Created"])]
struct Placed {
    id: i64,
}

#[derive(EventSet)]
enum OrderEvent {
    Placed(Placed),
}

struct Order {
    id: i64,
}

#[projection(name = "order", id = i64, key = event.id, batch_size = 2 - 1, index(id))]
impl Order {
    #[on]
    fn create(event: &Placed) -> Self {
        Self { id: event.id }
    }

    #[on]
    fn change(&mut self, event: &Placed) {
        self.id = event.id;
    }

    #[on]
    fn replace(self, _: &Placed) -> StdOption<Self> {
        StdOption::Some(self)
    }

    // Called as the trait's functions are.
    #[on]
    fn handlers(self, _: &Placed) -> Self {
        self
    }

    #[on]
    fn options(self, _: &Placed) -> Self {
        self
    }
}

#[projection(name = "orders", singleton)]
fn state(state: Order, event: &OrderEvent) -> Order {
    let OrderEvent::Placed(_) = event;
    state
}

#[test]
fn names_of_the_prelude_may_mean_something_else() {
    assert_eq!(crate::handlers_of::<Order>(), ("order", 5));
    assert_eq!(crate::handlers_of::<state>(), ("orders", 1));
}
