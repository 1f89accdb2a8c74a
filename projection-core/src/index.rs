//! Indexes that a view declares for its queries.

/// An index over fields of a view's state. Made, if it is not there, when the projection starts.
///
/// In the attribute: `index(state, -total_cents)`, `unique(email)`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Index {
    fields: Vec<(String, Direction)>,
    unique: bool,
}

/// In which direction an index runs over a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Direction {
    /// From small to large.
    Ascending,
    /// From large to small.
    Descending,
}

impl Index {
    /// An index over `fields` (dotted paths into the state), in that order; a leading `-` is descending.
    pub fn new<F: AsRef<str>>(fields: impl IntoIterator<Item = F>) -> Self {
        let fields = fields.into_iter().map(|field| match field.as_ref().strip_prefix('-') {
            Some(field) => (field.to_owned(), Direction::Descending),
            None => (field.as_ref().to_owned(), Direction::Ascending),
        });
        Self { fields: fields.collect(), unique: false }
    }

    /// No two instances may have the same values in these fields. A write that breaks it fails the projection,
    /// naming the index (spec: P32).
    #[must_use]
    pub fn unique(mut self) -> Self {
        self.unique = true;
        self
    }

    /// The fields, in order.
    #[must_use]
    pub fn fields(&self) -> &[(String, Direction)] {
        &self.fields
    }

    /// Whether two instances may not share these values.
    #[must_use]
    pub fn is_unique(&self) -> bool {
        self.unique
    }
}
