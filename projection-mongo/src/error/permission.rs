//! What the server says of a missing permission, in short, and what helps: it quotes the whole command otherwise.

use std::fmt;

/// The code of a missing permission.
pub(crate) const UNAUTHORIZED: i32 = 13;

/// An answer with the code 13.
pub(super) struct Unauthorized<'a>(pub(super) &'a str);

impl fmt::Display for Unauthorized<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((database, command, collection)) = parts(self.0) {
            return write!(
                f,
                "this user may not `{command}` on `{collection}` of the database `{database}` (code {UNAUTHORIZED}): \
                 grant a role that may, such as `readWrite` on that database"
            );
        }
        let message = self.0;
        if message.contains("requires authentication") {
            return write!(
                f,
                "{message} (code {UNAUTHORIZED}): connect as a user who has the role `readWrite` on the database"
            );
        }
        write!(f, "{message} (code {UNAUTHORIZED}): grant this user a role that may, such as `readWrite`")
    }
}

/// Database, command and collection of `not authorized on DATABASE to execute command { COMMAND: "COLLECTION", …`.
fn parts(message: &str) -> Option<(&str, &str, &str)> {
    let (database, command) = message.strip_prefix("not authorized on ")?.split_once(" to execute command { ")?;
    let (name, rest) = command.split_once(": \"")?;
    let (collection, _) = rest.split_once('"')?;
    let is_name = !name.is_empty() && name.chars().all(|letter| letter.is_ascii_alphanumeric());
    is_name.then_some((database, name, collection))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn action_collection_and_what_to_grant_are_named_without_the_documents() {
        let message = "not authorized on shop to execute command { insert: \"orders.v1\", ordered: true, documents: \
                       [ { _id: \"secret\" } ], $db: \"shop\" }";
        assert_eq!(
            Unauthorized(message).to_string(),
            "this user may not `insert` on `orders.v1` of the database `shop` (code 13): grant a role that may, such as \
             `readWrite` on that database"
        );
    }

    #[test]
    fn who_is_not_logged_in_is_told_to() {
        let message = Unauthorized("command insert requires authentication").to_string();
        assert!(message.contains("connect as a user"), "{message}");
        assert!(Unauthorized("anything").to_string().starts_with("anything (code 13): grant"));
    }
}
