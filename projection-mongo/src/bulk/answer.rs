//! What became of each statement that was sent.

use std::collections::HashMap;

use projection_core::{ErrorKind, StoreError};

use super::{Sent, WriteError, reply::Unconfirmed};
use crate::error::{
    CONVERSION_FAILURE, DUPLICATE_KEY, Doing, VALIDATION_FAILURE, certainly_not_done, kind_of_answer,
};

/// What became of one statement.
#[derive(Debug)]
pub(crate) enum Answer {
    /// Carried out; an update or a delete may have found nothing.
    Done,
    /// Refused by itself.
    Refused(WriteError),
    /// Certainly not carried out, as its whole command.
    NotDone(StoreError),
    /// Carried out or not: nobody knows.
    Unknown(StoreError),
}

impl Sent {
    /// One answer for each statement, with its place and size; and whether fewer documents were found than statements
    /// were carried out.
    pub(crate) fn answers(self, doing: &Doing) -> (Vec<(usize, usize, Answer)>, bool) {
        let mut reply = match self.reply {
            Ok(reply) => reply,
            Err(error) => {
                let answer = |_| match certainly_not_done(&error) {
                    true => Answer::NotDone(doing.failed(error.clone())),
                    false => Answer::Unknown(doing.failed(error.clone())),
                };
                let answers = self.statements.into_iter().map(|(place, bytes)| (place, bytes, answer(())));
                return (answers.collect(), false);
            }
        };
        let found_less = reply.n + reply.errors.len() < self.statements.len();
        let mut errors: HashMap<usize, WriteError> =
            reply.errors.drain(..).map(|error| (error.index, error)).collect();
        let answers = self.statements.into_iter().enumerate().map(|(index, (place, bytes))| {
            let answer = match (errors.remove(&index), &reply.unconfirmed) {
                (Some(error), _) if error.kind() == ErrorKind::Transient => Answer::Unknown(error.error(doing)),
                (Some(error), _) => Answer::Refused(error),
                (None, Some(unconfirmed)) => Answer::Unknown(unconfirmed.error(doing)),
                (None, None) => Answer::Done,
            };
            (place, bytes, answer)
        });
        (answers.collect(), found_less)
    }
}

impl WriteError {
    /// What the error means.
    pub(crate) fn kind(&self) -> ErrorKind {
        match self.code {
            DUPLICATE_KEY if self.on_id => ErrorKind::Conflict,
            DUPLICATE_KEY => ErrorKind::Unique,
            CONVERSION_FAILURE => ErrorKind::Conflict,
            VALIDATION_FAILURE => ErrorKind::Poison,
            code => kind_of_answer(code, &self.message),
        }
    }

    pub(crate) fn error(&self, doing: &Doing) -> StoreError {
        doing.refused(self.kind(), self.code, &self.message)
    }
}

impl Unconfirmed {
    /// What was written may still be undone: never an error that says it was not written.
    pub(crate) fn error(&self, doing: &Doing) -> StoreError {
        doing.refused(ErrorKind::Transient, self.code, &self.message)
    }
}
