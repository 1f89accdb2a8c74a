//! Writes documents by their `_id`, each over the one that is there, or not.

use projection_core::StoreError;

use crate::{
    bulk::{Statement, Target, Verb},
    error::Doing,
    writer::Writer,
};

/// A document to write, by its `_id`.
pub(super) struct Put {
    pub(super) id: String,
    pub(super) document: bson::error::Result<Vec<u8>>,
    pub(super) how: How,
}

/// What becomes of a document that is there.
#[derive(Clone, Copy)]
pub(super) enum How {
    Replace,
    Keep,
    /// It is replaced, unless it carries a later epoch.
    Unless(i64),
}

impl Put {
    pub(super) fn statement(&self, document: &[u8]) -> Vec<u8> {
        let mut statement = Writer::with_capacity(document.len() + 256);
        let filter = statement.open_document("q");
        statement.str("_id", &self.id);
        statement.close(filter);
        match self.how {
            How::Replace => statement.document("u", document),
            How::Keep => {
                let update = statement.open_document("u");
                statement.document("$setOnInsert", document);
                statement.close(update);
            }
            How::Unless(epoch) => unless_later(&mut statement, epoch, document),
        }
        statement.bool("upsert", true);
        statement.finish()
    }
}

/// `u: [{ $replaceWith: { $cond: [{ $lte: ["$fence.epoch", epoch] }, document, <an error>] } }]`
fn unless_later(statement: &mut Writer, epoch: i64, document: &[u8]) {
    let pipeline = statement.open_array("u");
    let stage = statement.open_document("0");
    let replace = statement.open_document("$replaceWith");
    let list = statement.open_array("$cond");

    // An epoch that is missing is below every number.
    let condition = statement.open_document("0");
    let operands = statement.open_array("$lte");
    statement.str("0", "$fence.epoch");
    statement.i64("1", epoch);
    statement.close(operands);
    statement.close(condition);
    let literal = statement.open_document("1");
    statement.document("$literal", document);
    statement.close(literal);
    let fail = statement.open_document("2");
    statement.str("$toInt", "$$ROOT");
    statement.close(fail);

    statement.close(list);
    statement.close(replace);
    statement.close(stage);
    statement.close(pipeline);
}

/// Writes documents.
pub(super) async fn put(target: &Target, puts: Vec<Put>) -> Result<(), StoreError> {
    let doing = Doing::new("writing to", &target.collection);
    let statements = puts.iter().enumerate().map(|(place, put)| {
        let document = put.document.as_ref().map_err(|error| (place, doing.failed(error.clone().into())))?;
        Ok(Statement { place, bytes: document.len(), document: put.statement(document) })
    });
    target.send_whole(&doing, Verb::Update, puts.len(), statements).await
}
