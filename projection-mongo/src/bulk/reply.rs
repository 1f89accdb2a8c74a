//! The reply to a write: it may be `ok` and still hold errors of statements, or one of the write concern.

use bson::{Bson, Document};

/// What the server answered to a write.
#[derive(Debug, Default)]
pub(crate) struct Reply {
    /// How many documents were inserted, matched or deleted.
    pub(crate) n: usize,
    /// Errors of single statements.
    pub(crate) errors: Vec<WriteError>,
    /// What was written is not confirmed by the write concern: it may be lost in a failover.
    pub(crate) unconfirmed: Option<Unconfirmed>,
}

/// An error of one statement.
#[derive(Debug, Clone)]
pub(crate) struct WriteError {
    /// Which statement of the command.
    pub(crate) index: usize,
    pub(crate) code: i32,
    pub(crate) message: String,
    /// For a duplicate key: whether it is `_id`.
    pub(crate) on_id: bool,
    /// For a duplicate key: the fields of the index.
    pub(crate) fields: Vec<String>,
}

/// A `writeConcernError`.
#[derive(Debug, Clone)]
pub(crate) struct Unconfirmed {
    pub(crate) code: i32,
    pub(crate) message: String,
}

impl Reply {
    pub(crate) fn of(reply: &Document) -> Self {
        let errors = reply.get_array("writeErrors").map(Vec::as_slice).unwrap_or_default();
        let unconfirmed = reply.get_document("writeConcernError").ok().map(|error| Unconfirmed {
            code: int(error.get("code")).and_then(|code| code.try_into().ok()).unwrap_or_default(),
            message: error.get_str("errmsg").unwrap_or_default().to_owned(),
        });
        Self {
            n: int(reply.get("n")).and_then(|n| n.try_into().ok()).unwrap_or_default(),
            errors: errors.iter().filter_map(Bson::as_document).map(WriteError::of).collect(),
            unconfirmed,
        }
    }
}

impl WriteError {
    fn of(error: &Document) -> Self {
        let pattern = error.get_document("keyPattern");
        let fields: Vec<String> = pattern.map(|pattern| pattern.keys().cloned().collect()).unwrap_or_default();
        Self {
            index: int(error.get("index")).and_then(|index| index.try_into().ok()).unwrap_or_default(),
            code: int(error.get("code")).and_then(|code| code.try_into().ok()).unwrap_or_default(),
            message: error.get_str("errmsg").unwrap_or_default().to_owned(),
            on_id: fields == ["_id"],
            fields,
        }
    }
}

fn int(value: Option<&Bson>) -> Option<i64> {
    match value? {
        Bson::Int32(int) => Some((*int).into()),
        Bson::Int64(int) => Some(*int),
        other => {
            let double = other.as_f64()?;
            crate::decode::as_whole(bson::RawBsonRef::Double(double))
        }
    }
}

#[cfg(test)]
mod tests {
    use bson::doc;

    use super::*;

    #[test]
    fn an_ok_reply_may_hold_errors_of_both_kinds() {
        let reply = Reply::of(&doc! {
            "ok": 1.0, "n": 2,
            "writeErrors": [
                { "index": 1, "code": 11000, "errmsg": "E11000", "keyPattern": { "_id": 1 } },
                { "index": 3, "code": 11000, "errmsg": "E11000", "keyPattern": { "email": 1 } },
            ],
            "writeConcernError": { "code": 64, "errmsg": "waiting for replication timed out" },
        });
        assert_eq!(reply.n, 2);
        let errors: Vec<_> = reply.errors.iter().map(|error| (error.index, error.on_id)).collect();
        assert_eq!(errors, [(1, true), (3, false)]);
        assert_eq!(reply.unconfirmed.unwrap().code, 64);
    }
}
