//! Settings of an event store.

use std::{sync::Arc, time::Duration};

use projection_core::{InvalidOption, store::SourceName};

use super::{EventFields, Filling};

/// How long an append may take from its reservation to its commit.
const COMMIT_WITHIN: Duration = Duration::from_secs(10);

/// How a collection of events is read, and appended to.
#[derive(Debug, Clone)]
pub struct MongoEventsOptions {
    fields: EventFields,
    source_name: SourceName,
    default_source: Arc<str>,
    makes_indexes: bool,
    /// `None`: where the fields are the default ones.
    appends: Option<bool>,
    filling: Filling,
    data_by_content_type: bool,
    owner: Arc<str>,
    commit_within: Duration,
}

impl MongoEventsOptions {
    /// The default fields; the order of positions is called `events`, as is the source of an event that names none;
    /// indexes are made; events are appended.
    #[must_use]
    pub fn new() -> Self {
        let source_name = SourceName::default();
        Self {
            fields: EventFields::new(),
            default_source: source_name.as_str().into(),
            source_name,
            makes_indexes: true,
            appends: None,
            filling: Filling::default(),
            data_by_content_type: false,
            owner: format!("process {}", std::process::id()).into(),
            commit_within: COMMIT_WITHIN,
        }
    }

    /// A collection that Occurrent's MongoDB event stores write, with `position`s: [written by
    /// others](Self::written_by_others), positions [filled late](Filling::Late), data
    /// [by its content type](Self::with_data_by_content_type), and no index made beside theirs.
    #[must_use]
    pub fn occurrent() -> Self {
        Self::new().written_by_others().with_data_by_content_type().without_making_indexes()
    }

    /// The fields of an event.
    #[must_use]
    pub fn with_fields(mut self, fields: EventFields) -> Self {
        self.fields = fields;
        self
    }

    /// The name of this store's order of positions. Stored instances carry it: choose it once.
    #[must_use]
    pub fn with_source_name(mut self, name: SourceName) -> Self {
        self.source_name = name;
        self
    }

    /// The source of an event whose document has none.
    #[must_use]
    pub fn with_default_source(mut self, source: impl Into<Arc<str>>) -> Self {
        self.default_source = source.into();
        self
    }

    /// Makes no index. Opening then checks that there is an index that begins with the position, without which each
    /// page would read the whole collection; that no two events have one position is not checked.
    #[must_use]
    pub fn without_making_indexes(mut self) -> Self {
        self.makes_indexes = false;
        self
    }

    /// Events are appended, also where the fields are mapped.
    #[must_use]
    pub fn appending(mut self) -> Self {
        self.appends = Some(true);
        self
    }

    /// Events are written by a program that does not use this crate, and positions are filled as
    /// [`with_filling`](Self::with_filling) says. So it is where the fields are mapped, unless [`appending`](Self::appending)
    /// is said.
    #[must_use]
    pub fn written_by_others(mut self) -> Self {
        self.appends = Some(false);
        self
    }

    /// How others fill the positions, where they write: [late](Filling::late), where nothing is said.
    #[must_use]
    pub fn with_filling(mut self, filling: Filling) -> Self {
        self.filling = filling;
        self
    }

    /// Data that is text or bytes is JSON, where the field `datacontenttype` says so or is missing; otherwise it is the text
    /// or the bytes. Data that is a document is a document in any case.
    #[must_use]
    pub fn with_data_by_content_type(mut self) -> Self {
        self.data_by_content_type = true;
        self
    }

    /// Names this process where it says which append holds the mark, such as by its host; `process` and its number where
    /// nothing is said.
    #[must_use]
    pub fn with_owner(mut self, owner: impl Into<Arc<str>>) -> Self {
        self.owner = owner.into();
        self
    }

    /// How long a transaction may take from appending to its commit, from one second to ten minutes; ten seconds where
    /// nothing is said. One that takes longer is ended, so that a dead appender does not hold the mark for good.
    #[must_use]
    pub fn with_commit_within(mut self, limit: Duration) -> Self {
        self.commit_within = limit;
        self
    }

    /// Refuses what cannot be.
    pub(super) fn check(&self) -> Result<(), InvalidOption> {
        let limit = self.commit_within;
        if !(Duration::from_secs(1)..=Duration::from_secs(600)).contains(&limit) {
            let allowed = "from one second to ten minutes";
            return Err(InvalidOption { option: "commit_within", value: format!("{limit:?}"), allowed });
        }
        self.filling.check()?;
        self.fields.check()
    }

    pub(super) fn filling(&self) -> Filling {
        self.filling
    }

    pub(super) fn data_by_content_type(&self) -> bool {
        self.data_by_content_type
    }

    pub(super) fn appends(&self) -> bool {
        self.appends.unwrap_or_else(|| self.fields == EventFields::new())
    }

    pub(super) fn owner(&self) -> &Arc<str> {
        &self.owner
    }

    pub(super) fn commit_within(&self) -> Duration {
        self.commit_within
    }

    pub(super) fn fields(&self) -> &EventFields {
        &self.fields
    }

    pub(super) fn source_name(&self) -> &SourceName {
        &self.source_name
    }

    pub(super) fn default_source(&self) -> &Arc<str> {
        &self.default_source
    }

    pub(super) fn makes_indexes(&self) -> bool {
        self.makes_indexes
    }
}

impl Default for MongoEventsOptions {
    fn default() -> Self {
        Self::new()
    }
}
