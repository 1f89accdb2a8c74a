//! Which events of a store are read.

use std::collections::BTreeSet;

use crate::StreamId;

/// Which events are read: by name, by stream, by both.
///
/// A projection's own filter, by the names its handlers take, is derived and pushed down to the store; a feed's
/// filter narrows it further.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    names: Option<BTreeSet<String>>,
    streams: Option<BTreeSet<StreamId>>,
}

impl Filter {
    /// Every event.
    #[must_use]
    pub fn all() -> Self {
        Self::default()
    }

    /// Only events stored under one of these names. Called twice, only names in both pass.
    #[must_use]
    pub fn with_names<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.names = Some(narrowed(self.names, names.into_iter().map(Into::into).collect()));
        self
    }

    /// Only events of one of these streams. Called twice, only streams in both pass.
    #[must_use]
    pub fn with_streams<S: Into<StreamId>>(mut self, streams: impl IntoIterator<Item = S>) -> Self {
        self.streams = Some(narrowed(self.streams, streams.into_iter().map(Into::into).collect()));
        self
    }

    /// The names that pass; `None` is every name.
    #[must_use]
    pub fn names(&self) -> Option<&BTreeSet<String>> {
        self.names.as_ref()
    }

    /// The streams that pass; `None` is every stream.
    #[must_use]
    pub fn streams(&self) -> Option<&BTreeSet<StreamId>> {
        self.streams.as_ref()
    }

    /// Whether an event of this name and stream passes.
    #[must_use]
    pub fn matches(&self, name: &str, stream: &StreamId) -> bool {
        self.names.as_ref().is_none_or(|names| names.contains(name))
            && self.streams.as_ref().is_none_or(|streams| streams.contains(stream))
    }
}

fn narrowed<T: Ord>(old: Option<BTreeSet<T>>, new: BTreeSet<T>) -> BTreeSet<T> {
    match old {
        None => new,
        Some(old) => new.into_iter().filter(|item| old.contains(item)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_streams_narrow_and_never_widen() {
        let filter = Filter::all().with_names(["A", "B"]).with_names(["B", "C"]).with_streams(["s"]);
        assert!(filter.matches("B", &"s".into()));
        assert!(!filter.matches("A", &"s".into()));
        assert!(!filter.matches("C", &"s".into()));
        assert!(!filter.matches("B", &"t".into()));
        assert!(Filter::all().matches("A", &"t".into()));
    }
}
