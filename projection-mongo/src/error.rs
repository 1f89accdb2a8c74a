//! What an error of the driver or the server means: classified once, here, with what was being done.

mod permission;

use std::{error::Error as StdError, fmt, sync::Arc};

use mongodb::error::{Error as DriverError, ErrorKind as Driver};
use projection_core::{ErrorKind, StoreError};

pub(crate) use permission::UNAUTHORIZED;
use permission::Unauthorized;

/// An operation on a collection, for the message of an error.
#[derive(Debug, Clone)]
pub(crate) struct Doing {
    what: &'static str,
    collection: Arc<str>,
}

impl Doing {
    pub(crate) fn new(what: &'static str, collection: &str) -> Self {
        Self { what, collection: collection.into() }
    }

    /// The driver reported an error.
    pub(crate) fn failed(&self, error: DriverError) -> StoreError {
        StoreError::new(kind_of(&error), MongoError { doing: self.clone(), cause: Cause::Driver(error) })
    }

    /// The server refused one statement, or could not confirm it.
    pub(crate) fn refused(&self, kind: ErrorKind, code: i32, message: &str) -> StoreError {
        let cause = Cause::Server { code, message: message.to_owned() };
        StoreError::new(kind, MongoError { doing: self.clone(), cause })
    }

    /// What was found is not what it has to be.
    pub(crate) fn wrong(&self, kind: ErrorKind, message: impl fmt::Display) -> StoreError {
        StoreError::new(kind, MongoError { doing: self.clone(), cause: Cause::Wrong(message.to_string()) })
    }
}

/// An error of MongoDB: what was being done, to which collection, and why it failed.
///
/// It is what [`StoreError::get_ref`] gives; its [`source`](std::error::Error::source), where there is one, is a
/// [`mongodb::error::Error`].
#[derive(Debug, Clone)]
pub struct MongoError {
    doing: Doing,
    cause: Cause,
}

#[derive(Debug, Clone)]
enum Cause {
    Driver(DriverError),
    Server { code: i32, message: String },
    Wrong(String),
}

impl MongoError {
    /// The server's error code, where the server gave one.
    #[must_use]
    pub fn code(&self) -> Option<i32> {
        match &self.cause {
            Cause::Driver(error) => code_of(error),
            Cause::Server { code, .. } => Some(*code),
            Cause::Wrong(_) => None,
        }
    }
}

impl fmt::Display for MongoError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} `{}`: ", self.doing.what, self.doing.collection)?;
        match &self.cause {
            Cause::Driver(error) => match &*error.kind {
                Driver::Command(error) if error.code == UNAUTHORIZED => Unauthorized(&error.message).fmt(f),
                Driver::Authentication { .. } => {
                    write!(f, "{}: check user, password and `authSource` of the address", error.kind)
                }
                kind => kind.fmt(f),
            },
            Cause::Server { code: UNAUTHORIZED, message } => Unauthorized(message).fmt(f),
            Cause::Server { code, message } => write!(f, "{message} (code {code})"),
            Cause::Wrong(message) => f.write_str(message),
        }
    }
}

impl StdError for MongoError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        match &self.cause {
            Cause::Driver(error) => Some(error),
            Cause::Server { .. } | Cause::Wrong(_) => None,
        }
    }
}

/// Whether a command that failed this way was certainly not carried out: the server answered that it is not allowed
/// or makes no sense. Anything else may have been applied.
pub(crate) fn certainly_not_done(error: &DriverError) -> bool {
    matches!(*error.kind, Driver::Command(_) | Driver::Authentication { .. } | Driver::InvalidArgument { .. })
        && kind_of(error) == ErrorKind::Permanent
}

pub(crate) fn code_of(error: &DriverError) -> Option<i32> {
    match &*error.kind {
        Driver::Command(error) => Some(error.code),
        Driver::Write(mongodb::error::WriteFailure::WriteConcernError(error)) => Some(error.code),
        Driver::Write(mongodb::error::WriteFailure::WriteError(error)) => Some(error.code),
        _ => None,
    }
}

fn kind_of(error: &DriverError) -> ErrorKind {
    let labelled = ["RetryableWriteError", "TransientTransactionError", "RetryableError"];
    match &*error.kind {
        Driver::Io(_)
        | Driver::ConnectionPoolCleared { .. }
        | Driver::ServerSelection { .. }
        | Driver::DnsResolve { .. } => ErrorKind::Transient,
        _ if labelled.iter().any(|label| error.contains_label(label)) => ErrorKind::Transient,
        Driver::Command(error) => kind_of_answer(error.code, &error.message),
        _ => code_of(error).map_or(ErrorKind::Permanent, |code| kind_of_answer(code, "")),
    }
}

/// What an answer of the server means: by its code, and by its text where the code says nothing.
pub(crate) fn kind_of_answer(code: i32, message: &str) -> ErrorKind {
    match code {
        // So the storage engine's errors come, whatever they are.
        UNKNOWN_ERROR if message.contains("No space left on device") => ErrorKind::Transient,
        code => kind_of_code(code),
    }
}

fn kind_of_code(code: i32) -> ErrorKind {
    match code {
        // Host unreachable, host not found, network timeout.
        6 | 7 | 89 |
        // Lock timeout, cursor not found, time limit, write concern not (yet) met.
        24 | 43 | 50 | 64 | 202 | 262 |
        // Several errors at once: so does a step-down show inside a bulk.
        65 |
        // Shutting down, stepped down, no primary, recovering, not in this state.
        91 | 100 | 133 | 189 | 10_058 | 10_107 | 11_600 | 11_602 | 13_435 | 13_436 |
        // Killed by an operator, killed cursor, killed session.
        237 | 290 | 11_601 |
        // Write conflict, snapshot too old or not there, no space, connection, routing.
        112 | 239 | 246 | 14_031 | 9001 | 63 | 150 | 234 | 13_388 => ErrorKind::Transient,
        // Larger than the server allows.
        10_334 | 17_419 | 17_420 | 17_280 => ErrorKind::Poison,
        _ => ErrorKind::Permanent,
    }
}

/// The code of what has no code of its own.
const UNKNOWN_ERROR: i32 = 8;
/// The code of a name that is taken.
pub(crate) const NAMESPACE_EXISTS: i32 = 48;
/// The code for a name that stands for nothing.
pub(crate) const NAMESPACE_NOT_FOUND: i32 = 26;
/// The code of a duplicate key.
pub(crate) const DUPLICATE_KEY: i32 = 11_000;
/// The code of a conversion that failed: how a guard in a pipeline says that it does not hold.
pub(crate) const CONVERSION_FAILURE: i32 = 241;
/// The code of a refusal by a collection's validator.
pub(crate) const VALIDATION_FAILURE: i32 = 121;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_down_may_pass_and_a_missing_permission_does_not() {
        for code in [91, 189, 11_600, 11_602, 10_107, 13_435, 13_436, 43, 64] {
            assert_eq!(kind_of_code(code), ErrorKind::Transient, "{code}");
        }
        for code in [13, 18, 2, 9, 26] {
            assert_eq!(kind_of_code(code), ErrorKind::Permanent, "{code}");
        }
    }

    #[test]
    fn a_full_disk_may_pass_and_another_error_of_the_storage_engine_may_not() {
        assert_eq!(kind_of_answer(8, "28: No space left on device"), ErrorKind::Transient);
        assert_eq!(kind_of_answer(8, "5: Input/output error"), ErrorKind::Permanent);
        assert_eq!(kind_of_answer(14_031, ""), ErrorKind::Transient);
    }

    #[test]
    fn an_error_says_what_was_being_done_and_to_which_collection() {
        let io = std::io::Error::other("broken pipe");
        let error = Doing::new("writing to", "orders.v1").failed(io.into());
        assert_eq!(error.kind(), ErrorKind::Transient);
        assert_eq!(error.to_string(), "writing to `orders.v1`: I/O error: broken pipe");
    }
}
