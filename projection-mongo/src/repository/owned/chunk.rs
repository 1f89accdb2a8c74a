//! Cuts a batch into transactions.

use projection_core::{
    Key,
    projection::ViewState,
    store::{Change, Expected},
};

use crate::{
    bulk::MAX_BYTES,
    document::{Encoder, Stamp},
    repository::{MongoRepository, outcomes::Outcomes},
};

/// How many instances a transaction writes at most: it has to fit a share of the server's cache.
const MAX_CHANGES: usize = 5_000;

/// A change whose document is encoded.
#[derive(Debug)]
pub(super) struct Prepared {
    pub(super) place: usize,
    /// `None` deletes.
    pub(super) document: Option<Vec<u8>>,
}

impl Prepared {
    pub(super) fn bytes(&self) -> usize {
        self.document.as_ref().map_or(0, Vec::len)
    }
}

/// Encodes changes and cuts them into chunks, lazily. Deletes come first, then replacements, then inserts, so that a
/// unique value that moves inside the batch is mostly free by then.
pub(super) struct Chunks<'a, S, Id> {
    encoder: Encoder<'a>,
    changes: &'a [Change<'a, S, Id>],
    places: std::vec::IntoIter<usize>,
    next: Option<Prepared>,
    /// A batch without changes is one chunk: it may have a checkpoint.
    any: bool,
}

impl<'a, S: ViewState, Id: Key> Chunks<'a, S, Id> {
    pub(super) fn new(
        repository: &'a MongoRepository<S, Id>,
        changes: &'a [Change<'a, S, Id>],
        mut places: Vec<usize>,
    ) -> Self {
        places.sort_by_key(|place| (changes[*place].state.is_some(), changes[*place].expected == Expected::Absent));
        let any = !places.is_empty();
        Self { encoder: Encoder::new(&repository.format), changes, places: places.into_iter(), next: None, any }
    }

    /// The next chunk, and whether it is the last. A change that cannot be encoded is rejected.
    pub(super) fn next(&mut self, outcomes: &mut Outcomes) -> Option<(Vec<Prepared>, bool)> {
        let mut chunk = Vec::new();
        let mut bytes = 0;
        while let Some(change) = self.change(outcomes) {
            bytes += change.bytes();
            if !chunk.is_empty() && (bytes > MAX_BYTES || chunk.len() == MAX_CHANGES) {
                self.next = Some(change);
                return Some((chunk, false));
            }
            chunk.push(change);
        }
        let some = !chunk.is_empty() || !std::mem::replace(&mut self.any, true);
        some.then_some((chunk, true))
    }

    fn change(&mut self, outcomes: &mut Outcomes) -> Option<Prepared> {
        if let Some(next) = self.next.take() {
            return Some(next);
        }
        loop {
            let place = self.places.next()?;
            let change = &self.changes[place];
            let Some(state) = change.state else { return Some(Prepared { place, document: None }) };
            let stamp = Stamp { position: change.position, offered: change.offered, epoch: None };
            match self.encoder.document(change.id.as_key(), state, Some(stamp)) {
                Ok(document) => return Some(Prepared { place, document: Some(document) }),
                Err(refused) => outcomes.rejected(place, refused.into()),
            }
        }
    }
}
