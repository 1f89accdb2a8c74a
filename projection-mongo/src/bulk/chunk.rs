//! Cuts statements into commands that the server takes.

use bson::RawDocumentBuf;
use projection_core::StoreError;

use crate::writer::{Open, Writer};

/// How many statements a command holds at most. The server's limit is 100,000, but the errors of as many would not
/// fit its reply.
const MAX_STATEMENTS: usize = 10_000;
/// How many bytes of statements a command holds at most, unless one statement alone is larger.
pub(crate) const MAX_BYTES: usize = 12_000_000;
/// Fewer statements than this are not worth a second command in flight.
const MIN_STATEMENTS: usize = 500;

/// What a command does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verb {
    Insert,
    Update,
    Delete,
}

impl Verb {
    pub(super) fn command(self) -> &'static str {
        match self {
            Self::Insert => "insert",
            Self::Update => "update",
            Self::Delete => "delete",
        }
    }

    fn list(self) -> &'static str {
        match self {
            Self::Insert => "documents",
            Self::Update => "updates",
            Self::Delete => "deletes",
        }
    }
}

/// One statement of a command.
#[derive(Debug)]
pub(crate) struct Statement {
    /// Which change it is, among those of the caller.
    pub(crate) place: usize,
    /// The size of the state's document in bytes.
    pub(crate) bytes: usize,
    /// The statement, encoded.
    pub(crate) document: Vec<u8>,
}

/// One command inside a transaction: it ends at its first error, and leaves the write concern to the commit. The
/// statements are within the limits of a command.
pub(crate) fn in_transaction<'s>(
    verb: Verb,
    collection: &str,
    statements: impl IntoIterator<Item = &'s Vec<u8>>,
) -> bson::error::Result<RawDocumentBuf> {
    let mut writer = Writer::with_capacity(64 * 1024);
    writer.str(verb.command(), collection);
    let list = writer.open_array(verb.list());
    for (index, statement) in statements.into_iter().enumerate() {
        writer.document_at(index, statement);
    }
    writer.close(list);
    writer.finish_document()
}

/// A command, and which changes it carries, in the order of its statements.
#[derive(Debug)]
pub(super) struct Chunk {
    pub(super) command: bson::error::Result<RawDocumentBuf>,
    /// Place and size of each statement.
    pub(super) statements: Vec<(usize, usize)>,
}

/// Cuts statements into chunks, lazily: no more than a chunk is held. A change that could not be encoded is put aside.
pub(super) struct Chunks<'a, I> {
    statements: I,
    next: Option<Statement>,
    collection: &'a str,
    verb: Verb,
    most: usize,
    refused: Vec<(usize, StoreError)>,
}

impl<'a, I> Chunks<'a, I>
where
    I: Iterator<Item = Result<Statement, (usize, StoreError)>>,
{
    /// `expected` is how many statements there will be; about half of them go into each of two commands.
    pub(super) fn new(collection: &'a str, verb: Verb, expected: usize, statements: I) -> Self {
        let most = expected.div_ceil(2).clamp(MIN_STATEMENTS, MAX_STATEMENTS);
        Self { statements, next: None, collection, verb, most, refused: Vec::new() }
    }

    /// The changes that could not be encoded, and why.
    pub(super) fn refused(self) -> Vec<(usize, StoreError)> {
        self.refused
    }

    fn statement(&mut self) -> Option<Statement> {
        if let Some(next) = self.next.take() {
            return Some(next);
        }
        loop {
            match self.statements.next()? {
                Ok(statement) => return Some(statement),
                Err(refused) => self.refused.push(refused),
            }
        }
    }

    fn open(&self) -> (Writer, Open) {
        let mut writer = Writer::with_capacity(64 * 1024);
        writer.str(self.verb.command(), self.collection);
        writer.bool("ordered", false);
        let concern = writer.open_document("writeConcern");
        writer.str("w", "majority");
        writer.close(concern);
        let list = writer.open_array(self.verb.list());
        (writer, list)
    }
}

impl<I> Iterator for Chunks<'_, I>
where
    I: Iterator<Item = Result<Statement, (usize, StoreError)>>,
{
    type Item = Chunk;

    fn next(&mut self) -> Option<Chunk> {
        let first = self.statement()?;
        let (mut writer, list) = self.open();
        let mut statements = vec![(first.place, first.bytes)];
        writer.document_at(0, &first.document);
        while statements.len() < self.most {
            let Some(statement) = self.statement() else {
                break;
            };
            if writer.len() + statement.document.len() > MAX_BYTES {
                self.next = Some(statement);
                break;
            }
            writer.document_at(statements.len(), &statement.document);
            statements.push((statement.place, statement.bytes));
        }
        writer.close(list);
        Some(Chunk { command: writer.finish_document(), statements })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chunks(sizes: &[usize], expected: usize) -> Vec<usize> {
        let document = |size: usize| {
            let mut writer = Writer::with_capacity(size);
            writer.str("s", &"x".repeat(size));
            writer.finish()
        };
        let statements = sizes
            .iter()
            .enumerate()
            .map(|(place, size)| Ok(Statement { place, bytes: *size, document: document(*size) }));
        let chunks = Chunks::new("c", Verb::Insert, expected, statements);
        chunks.map(|chunk| chunk.statements.len()).collect()
    }

    // spec: B30
    #[test]
    fn a_chunk_ends_at_its_count_or_at_its_bytes() {
        assert_eq!(chunks(&[10; 25_000], 1_000_000), [10_000, 10_000, 5000]);
        assert_eq!(chunks(&[5_000_000; 5], 5), [2, 2, 1]);
        assert_eq!(chunks(&[15_000_000, 1, 15_000_000], 3), [1, 1, 1]);
    }

    #[test]
    fn a_batch_is_halved_when_that_is_worth_a_second_command() {
        assert_eq!(chunks(&[10; 400], 400), [400]);
        assert_eq!(chunks(&[10; 4000], 4000), [2000, 2000]);
        assert!(chunks(&[], 0).is_empty());
    }
}
