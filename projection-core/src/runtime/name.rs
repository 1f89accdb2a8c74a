//! What may name a projection: it names a collection or a table, too.

use super::StartError;

/// Refuses a name that a database could not use.
pub(super) fn check(name: &str) -> Result<(), StartError> {
    let reason = if name.is_empty() || name.len() > 100 {
        "use 1 to 100 bytes"
    } else if name.contains(|c: char| c == '$' || c == '\0' || c.is_whitespace()) {
        "use no `$`, no NUL and no white space"
    } else if name.starts_with("system.") || name.starts_with('.') || name.ends_with('.') {
        "do not begin with `system.`, and neither begin nor end with a dot"
    } else {
        return Ok(());
    };
    Err(StartError::Name { name: name.to_owned(), reason })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_a_database_could_not_use_are_refused() {
        for refused in ["", "a b", "a$b", "a\0b", "system.views", ".a", "a.", &"x".repeat(101)] {
            assert!(check(refused).is_err(), "{refused:?}");
        }
        for allowed in ["order-status", "orders.by_day", "Aufträge"] {
            assert!(check(allowed).is_ok(), "{allowed:?}");
        }
    }
}
