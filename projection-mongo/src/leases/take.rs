//! The write that takes, renews or leaves a lease, as the server's clock says.

use bson::{Bson, DateTime, doc};
use projection_core::store::LeaseRequest;

/// Takes the lease if it is free or has ended, with a higher epoch, above `above`; renews it if it is the asker's; else
/// leaves it as it is.
pub(super) fn pipeline(request: &LeaseRequest, above: i64) -> Vec<bson::Document> {
    let never: Bson = DateTime::from_millis(0).into();
    let ttl = i64::try_from(request.ttl.as_millis()).unwrap_or(i64::MAX);
    let me = doc! { "$literal": &request.owner };
    let is_free = doc! { "$lte": [{ "$ifNull": ["$expires", never] }, "$$NOW"] };
    let is_mine = doc! { "$eq": ["$owner", &me] };
    let is_behind = doc! { "$and": [is_mine.clone(), { "$lte": ["$epoch", above] }] };
    let next = doc! { "$add": [{ "$max": [{ "$ifNull": ["$epoch", 0_i64] }, above] }, 1_i64] };
    let until = doc! { "$add": ["$$NOW", ttl] };
    vec![
        doc! { "$set": { "take": { "$or": [is_free, is_behind] } } },
        doc! { "$set": {
            "projection": { "$literal": &request.projection },
            "version": i64::from(request.version),
            "owner": { "$cond": ["$take", me, "$owner"] },
            "epoch": { "$cond": ["$take", next, "$epoch"] },
            "since": { "$cond": ["$take", "$$NOW", "$since"] },
            "expires": { "$cond": [{ "$or": ["$take", is_mine] }, until, "$expires"] },
        } },
        doc! { "$unset": "take" },
    ]
}
