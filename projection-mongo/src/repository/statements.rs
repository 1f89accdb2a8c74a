//! The statements by which documents of a view are written.
//!
//! A guard stands in an update pipeline on `{_id}` alone: as a part of the filter it would leave the server's fast
//! path for `_id` and cost more. Where the guard does not hold, the pipeline fails on purpose, with an error at the
//! statement's index. The new document is a `$literal`, so that nothing in it is taken for an expression.

use projection_core::{KeyRef, Position};

use crate::{document::Format, id, writer::Writer};

/// Room for what stands around a document.
const AROUND: usize = 256;

/// Replaces the document, or inserts it.
pub(super) fn upsert(id: KeyRef<'_>, document: &[u8]) -> Vec<u8> {
    let mut statement = by_id(id, document.len());
    statement.document("u", document);
    statement.bool("upsert", true);
    statement.finish()
}

/// Replaces the document, whatever it holds; never inserts.
pub(super) fn replace(id: KeyRef<'_>, document: &[u8]) -> Vec<u8> {
    let mut statement = by_id(id, document.len());
    statement.document("u", document);
    statement.finish()
}

/// Replaces the document that stands at `expected`; fails where it stands at another position.
pub(super) fn replace_at(format: &Format, id: KeyRef<'_>, expected: Position, document: &[u8]) -> Vec<u8> {
    let mut statement = by_id(id, document.len());
    replace_if(&mut statement, ("$eq", format, expected), document, |list| {
        // Not a constant, which the server would compute, and refuse, beforehand.
        let fail = list.open_document("2");
        list.str("$toInt", "$$ROOT");
        list.close(fail);
    });
    statement.finish()
}

/// Puts a tombstone, unless there is one at a later position.
pub(super) fn bury(format: &Format, id: KeyRef<'_>, position: Position, tombstone: &[u8]) -> Vec<u8> {
    let mut statement = by_id(id, tombstone.len());
    // A position that is missing, where there is no tombstone yet, is below every number.
    replace_if(&mut statement, ("$lte", format, position), tombstone, |list| list.str("2", "$$ROOT"));
    statement.bool("upsert", true);
    statement.finish()
}

/// Deletes the document that stands at `position`.
pub(super) fn delete_at(format: &Format, id: KeyRef<'_>, position: Position) -> Vec<u8> {
    delete(id, |filter| filter.i64(&format.position_path(), position.as_i64()))
}

/// Deletes the document if it stands before `position`.
pub(super) fn delete_before(format: &Format, id: KeyRef<'_>, position: Position) -> Vec<u8> {
    delete(id, |filter| {
        let before = filter.open_document(&format.position_path());
        filter.i64("$lt", position.as_i64());
        filter.close(before);
    })
}

/// Deletes the document whatever it holds.
pub(super) fn delete_any(id: KeyRef<'_>) -> Vec<u8> {
    delete(id, |_| {})
}

/// Deletes the tombstone if it stands at or before `position`.
pub(super) fn delete_up_to(format: &Format, id: KeyRef<'_>, position: Position) -> Vec<u8> {
    delete(id, |filter| {
        let up_to = filter.open_document(&format.position_path());
        filter.i64("$lte", position.as_i64());
        filter.close(up_to);
    })
}

fn by_id(id: KeyRef<'_>, document: usize) -> Writer {
    let mut statement = Writer::with_capacity(document + AROUND);
    let filter = statement.open_document("q");
    id::write(&mut statement, id);
    statement.close(filter);
    statement
}

fn delete(id: KeyRef<'_>, condition: impl FnOnce(&mut Writer)) -> Vec<u8> {
    let mut statement = Writer::with_capacity(AROUND);
    let filter = statement.open_document("q");
    id::write(&mut statement, id);
    condition(&mut statement);
    statement.close(filter);
    statement.i32("limit", 1);
    statement.finish()
}

/// `u: [{ $replaceWith: { $cond: [{ operator: [<stored position>, position] }, document, otherwise] } }]`
fn replace_if(
    statement: &mut Writer,
    (operator, format, position): (&str, &Format, Position),
    document: &[u8],
    otherwise: impl FnOnce(&mut Writer),
) {
    let pipeline = statement.open_array("u");
    let stage = statement.open_document("0");
    let replace = statement.open_document("$replaceWith");
    let list = statement.open_array("$cond");

    let condition = statement.open_document("0");
    let operands = statement.open_array(operator);
    statement.str("0", &format!("${}", format.position_path()));
    statement.i64("1", position.as_i64());
    statement.close(operands);
    statement.close(condition);
    let literal = statement.open_document("1");
    statement.document("$literal", document);
    statement.close(literal);
    otherwise(statement);

    statement.close(list);
    statement.close(replace);
    statement.close(stage);
    statement.close(pipeline);
}
