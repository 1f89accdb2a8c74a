//! Versions of a view side by side, and the name under which readers find one of them.

use async_trait::async_trait;

use crate::{Index, KeyRef, StoreError};

/// Keeps versions of views side by side and shows readers one of each, under the projection's name. What
/// [`ProjectionRuntime::rebuild`](crate::ProjectionRuntime::rebuild) asks of a database.
#[async_trait]
pub trait ViewVersions: Send + Sync {
    /// Which version readers see; `None` before there is any. One round trip.
    ///
    /// # Errors
    ///
    /// When the store cannot be read, or shows something under the name that is no version of the view.
    async fn shown(&self, projection: &str) -> Result<Option<u32>, StoreError>;

    /// Makes what queries need on a version that is loaded. What is there already is left as it is, so that it may be
    /// repeated. A round trip for each index that is missing, for as long as the store takes to build it.
    ///
    /// # Errors
    ///
    /// When an index cannot be made, such as a unique one where two instances have the same values.
    async fn prepare(&self, preparation: Preparation<'_>) -> Result<(), StoreError>;

    /// Shows readers this version from now on: in one step, so that each query sees the one or the other. One round trip.
    ///
    /// # Errors
    ///
    /// When the store cannot be written.
    async fn show(&self, projection: &str, version: u32) -> Result<(), StoreError>;

    /// Tells the id of each instance of a version that exists; a UUID may be told as text. As many round trips as pages of ids.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    async fn ids(
        &self,
        projection: &str,
        version: u32,
        each: &mut (dyn for<'k> FnMut(KeyRef<'k>) + Send),
    ) -> Result<(), StoreError>;
}

/// Which indexes a version gets before it is shown.
#[derive(Debug, Clone, Copy)]
pub struct Preparation<'a> {
    /// The projection.
    pub projection: &'a str,
    /// The version that will be shown.
    pub version: u32,
    /// Those that it declares.
    pub indexes: &'a [Index],
    /// The version whose indexes it gets as well, of whoever made them.
    pub like: Option<u32>,
    /// Names of indexes that it does not get.
    pub without: &'a [String],
}
