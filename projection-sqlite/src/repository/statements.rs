//! The statements of one view, each guarded so that it writes its row or none.

use crate::sql::quoted;

/// SQL texts; each connection keeps what it prepared.
pub(super) struct Statements {
    /// What is stored for an instance.
    pub(super) find: String,
    /// Inserts, unless there is a row.
    pub(super) insert: String,
    /// Replaces the row that stands at a position of the source.
    pub(super) replace: String,
    /// Replaces whatever there is.
    pub(super) save: String,
    /// Deletes the row.
    pub(super) delete: String,
    /// Whether there is any row.
    pub(super) any: String,
    /// Deletes tombstones up to a position.
    pub(super) bury: String,
}

impl Statements {
    pub(super) fn new(table: &str) -> Self {
        let table = quoted(table);
        Self {
            find: format!("SELECT state, is_value, position, source, offered FROM {table} WHERE id = ?1"),
            insert: format!(
                "INSERT INTO {table} (id, state, is_value, position, source, offered) SELECT ?1, ?2, ?3, ?4, ?5, ?6 \
                 WHERE NOT EXISTS (SELECT 1 FROM {table} WHERE id = ?1)"
            ),
            replace: format!(
                "UPDATE {table} SET state = ?2, is_value = ?3, position = ?4, offered = ?6 \
                 WHERE id = ?1 AND source = ?5 AND position = ?7"
            ),
            save: format!(
                "INSERT INTO {table} (id, state, is_value) VALUES (?1, ?2, ?3) ON CONFLICT (id) DO UPDATE SET \
                 state = ?2, is_value = ?3, position = NULL, source = NULL, offered = NULL"
            ),
            delete: format!("DELETE FROM {table} WHERE id = ?1"),
            any: format!("SELECT EXISTS (SELECT 1 FROM {table})"),
            bury: format!("DELETE FROM {table} WHERE state IS NULL AND position <= ?1 AND source = ?2"),
        }
    }
}
