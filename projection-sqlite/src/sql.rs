//! Names and ids in SQL.

use projection_core::KeyRef;
use rusqlite::{
    ToSql,
    types::{ToSqlOutput, Value, ValueRef},
};

/// A name, quoted.
pub(crate) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// A text, quoted.
pub(crate) fn literal(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

/// The id of an instance. A UUID is stored as text; the column converts nothing, so that 1 and "1" are two ids.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Id<'a>(pub(crate) KeyRef<'a>);

impl ToSql for Id<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match self.0 {
            KeyRef::Text(text) => ToSqlOutput::Borrowed(ValueRef::Text(text.as_bytes())),
            KeyRef::Int(int) => ToSqlOutput::Owned(Value::Integer(int)),
            KeyRef::Uuid(uuid) => ToSqlOutput::Owned(Value::Text(uuid.to_string())),
            KeyRef::Bytes(bytes) => ToSqlOutput::Borrowed(ValueRef::Blob(bytes)),
        })
    }
}

/// A non-negative integer as SQLite stores it: signed. One that is larger than any that we ever wrote is the largest.
pub(crate) fn int(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}
