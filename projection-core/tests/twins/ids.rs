//! What finds an instance where there is no key: its stream, or that there is only one. What `id` and `meta` say.

use projection_core::{EventMetadata, Handlers, Projection, Singleton, StreamId, projection};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{
    history::{OrderDeleted, OrderPlaced, orders},
    recorder::assert_twins,
};

#[derive(Default, Serialize, Deserialize)]
struct Trace(Vec<String>);

#[projection(name = "trace", id = StreamId)]
impl Trace {
    #[on]
    fn placed(&mut self, _: &OrderPlaced, meta: &EventMetadata, id: &StreamId) {
        self.0.push(format!("{} {} {id}", meta.id(), meta.name()));
    }

    #[on]
    fn deleted(self, _: &OrderDeleted, id: &StreamId, m: &EventMetadata) -> Option<Self> {
        (m.position().as_i64() > 6).then(|| Self(vec![format!("deleted {id}")]))
    }
}

struct TraceByHand;

impl Projection for TraceByHand {
    type State = Trace;
    type Id = StreamId;
    const NAME: &'static str = "trace";

    fn handlers<H: Handlers<Self>>(handlers: &mut H) {
        handlers
            .on::<OrderPlaced>(
                |_, meta, keys| keys.add(meta.stream_id()),
                |state, _, meta, id| {
                    state.get_or_insert_default().0.push(format!("{} {} {id}", meta.id(), meta.name()));
                },
            )
            .on::<OrderDeleted>(
                |_, meta, keys| keys.add(meta.stream_id()),
                |state, _, meta, id| {
                    if state.take().is_some() && meta.position().as_i64() > 6 {
                        *state = Some(Trace(vec![format!("deleted {id}")]));
                    }
                },
            );
    }
}

#[test]
fn an_instance_is_a_stream_and_is_told_which_and_of_what_event() {
    let states = assert_twins::<Trace, TraceByHand>(&orders());
    assert_eq!(states[4]["\"o-1\""], json!(["1 OrderPlaced o-1", "5 OrderPlaced o-1"]));
    assert_eq!(states[9]["\"o-4\""], json!(["10 OrderCreated o-4"]), "the name it is stored under");
    assert!(!states[5].contains_key("\"o-1\""));
    assert_eq!(states[11]["\"o-2\""], json!(["deleted o-2"]));
}

#[derive(Default, Serialize, Deserialize)]
struct Total {
    cents: i64,
}

#[projection(name = "total", singleton)]
impl Total {
    #[on]
    fn placed(&mut self, event: &OrderPlaced, _id: &Singleton) {
        self.cents += event.cents;
    }
}

struct TotalByHand;

impl Projection for TotalByHand {
    type State = Total;
    type Id = Singleton;
    const NAME: &'static str = "total";

    fn handlers<H: Handlers<Self>>(handlers: &mut H) {
        handlers.on::<OrderPlaced>(
            |_, _, keys| keys.push(Singleton),
            |state, event, _, _| state.get_or_insert_default().cents += event.cents,
        );
    }
}

#[test]
fn a_singleton_is_one_instance_of_all_events() {
    let states = assert_twins::<Total, TotalByHand>(&orders());
    assert_eq!(states[11].len(), 1);
    assert_eq!(states[11]["\"singleton\""], json!({ "cents": 300 + 50 + 800 + 120 + 7 + 10 }));
}
