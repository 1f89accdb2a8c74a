//! Which of the events that others insert come too late: after their position was taken for one that stays empty.

use std::{sync::Arc, time::Duration};

use bson::{Bson, Document, doc};
use mongodb::{action::Watch, bson::Timestamp, change_stream::event::ResumeToken, error::Error};
use projection_core::Position;

use crate::{
    error::code_of,
    events::{
        EventFields, MongoEvents,
        others::{Heard, Others},
        positions::Seen,
    },
};

/// The codes for a place in the changes that is not there any more.
const HISTORY_LOST: [i32; 3] = [260, 280, 286];

/// The events of a collection that others write, as they arrive.
pub(super) struct Arrivals {
    others: Arc<Others>,
    seen: Arc<Seen>,
    fields: EventFields,
    collection: String,
}

impl Arrivals {
    pub(super) fn new(store: &MongoEvents, others: Arc<Others>) -> Self {
        Self {
            others,
            seen: Arc::clone(&store.seen),
            fields: store.fields().clone(),
            collection: store.target.collection.clone(),
        }
    }

    /// Inserts, and positions that were put into events later, as a migration does.
    pub(super) fn pipeline(&self) -> Vec<Document> {
        let EventFields { position, id, name, stream, .. } = &self.fields;
        let put = format!("updateDescription.updatedFields.{position}");
        let moves = doc! { "$or": [{ "operationType": "insert" }, { &put: { "$exists": true } }] };
        let mut shown = doc! { "_id": 1, "clusterTime": 1, "documentKey": 1, put: 1 };
        for field in [position, id, name, stream] {
            shown.insert(format!("fullDocument.{field}"), 1);
        }
        vec![doc! { "$match": moves }, doc! { "$project": shown }]
    }

    /// From where it was listened to before, or the first mark was given out.
    pub(super) fn go_on<'a, S>(&self, watch: Watch<'a, S>) -> Watch<'a, S> {
        match self.others.heard().clone() {
            Heard::Nothing => watch,
            Heard::From(time) => watch.start_at_operation_time(timestamp(time)),
            Heard::After(token) => watch.resume_after(token),
        }
    }

    pub(super) fn ask_again(&self) -> Option<Duration> {
        self.others.ask_again()
    }

    /// Looks whether it came late.
    pub(super) fn hear(&self, change: &Document, token: Option<ResumeToken>) {
        self.look_at(change);
        // After it: should this process listen anew, it hears the rest.
        if let Some(token) = token {
            *self.others.heard() = Heard::After(token);
        }
    }

    fn look_at(&self, change: &Document) {
        let part = |part: &str| change.get_document(part).ok();
        let inserted = part("fullDocument");
        let put = part("updateDescription").and_then(|update| update.get_document("updatedFields").ok());
        let position = [inserted, put].into_iter().flatten().find_map(|part| part.get(&self.fields.position));
        let Some(position) = position.and_then(whole) else { return };
        let Ok(Timestamp { time, increment }) = change.get_timestamp("clusterTime") else { return };
        let time = u64::from(time) << 32 | u64::from(increment);
        if !self.others.is_late(position, time) {
            return;
        }
        // Whoever looks for it finds it, also after a failover.
        self.seen.reach(time);
        let shown = |field: &str| inserted.and_then(|event| event.get(field)).map(ToString::to_string);
        let EventFields { id, name, stream, .. } = &self.fields;
        tracing::error!(
            collection = self.collection,
            position,
            id = shown(id),
            name = shown(name),
            stream = shown(stream),
            "an event came later than the horizon: its position had been passed"
        );
        if let Ok(position) = Position::try_from(position) {
            self.others.tell_late(position);
        }
    }

    /// Where listening cannot go on from where it was, it goes on from now.
    pub(super) fn broke(&self, error: &Error) {
        if code_of(error).is_some_and(|code| HISTORY_LOST.contains(&code)) {
            tracing::error!(
                collection = self.collection, error = %error.kind,
                "events that came later than the horizon may have gone unheard: the server keeps no changes from then"
            );
            *self.others.heard() = Heard::Nothing;
        }
    }

    pub(super) fn take_late(&self) -> Vec<Position> {
        self.others.take_late()
    }
}

fn timestamp(time: u64) -> Timestamp {
    let low = |bits: u64| u32::try_from(bits & u64::from(u32::MAX)).unwrap_or_default();
    Timestamp { time: low(time >> 32), increment: low(time) }
}

fn whole(value: &Bson) -> Option<i64> {
    match value {
        Bson::Int64(int) => Some(*int),
        Bson::Int32(int) => Some((*int).into()),
        #[expect(clippy::cast_possible_truncation, reason = "whole; an out of range double is no position")]
        Bson::Double(double) if double.fract() == 0.0 => Some(*double as i64),
        _ => None,
    }
}
