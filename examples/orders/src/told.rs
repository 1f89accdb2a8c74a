//! An error with its causes, as text.

use std::error::Error;

pub(crate) fn whole(error: &dyn Error) -> String {
    let mut told = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        told = format!("{told}; because: {error}");
        cause = error.source();
    }
    told
}
