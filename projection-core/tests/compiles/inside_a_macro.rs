//! A service's own macro may write projections: names mean what they mean where they are written.

use projection_core::{Event, projection};
use serde::{Deserialize, Serialize};

macro_rules! counts {
    ($view:ident, $name:literal, $event:ident, $key:expr) => {
        #[derive(Serialize, Deserialize, Event)]
        #[event(name = $name)]
        struct $event {
            id: String,
        }

        #[derive(Default, Serialize, Deserialize)]
        struct $view {
            count: u64,
        }

        #[projection(name = $name, id = String, key = event.id, batch_size = 10)]
        impl $view {
            #[on]
            fn counted(&mut self, _: &$event) {
                self.count += 1;
            }

            #[on(key = $key)]
            fn counted_elsewhere(&mut self, _: &$event) {
                self.count += 1;
            }
        }
    };
}

counts!(Placed, "Placed", OrderPlaced, event.id);
counts!(Shipped, "Shipped", OrderShipped, format!("{}{}", event.id, meta.stream_id()));

#[test]
fn a_macro_may_write_projections() {
    assert_eq!(crate::handlers_of::<Placed>(), ("Placed", 2));
    assert_eq!(crate::handlers_of::<Shipped>(), ("Shipped", 2));
}
