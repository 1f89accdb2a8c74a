//! Panics of the user's code, turned into values.

use std::{
    any::Any,
    panic::{AssertUnwindSafe, catch_unwind},
};

/// Runs `code`; a panic becomes its message.
///
/// The caller throws away whatever `code` may have left half-changed. With `panic = "abort"` there is nothing to
/// catch: the process ends (spec: B17).
pub(crate) fn caught<T>(code: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(code)).map_err(|panic| message_of(panic.as_ref()))
}

pub(crate) fn message_of(panic: &(dyn Any + Send)) -> String {
    let text = panic
        .downcast_ref::<&'static str>()
        .map(ToString::to_string)
        .or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "a panic without a message".to_owned());
    format!("panicked: {text}")
}
