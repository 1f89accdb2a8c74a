//! The indexes that a projection declares.

use bson::{Bson, Document, doc};
use mongodb::Database;
use projection_core::{Direction, ErrorKind, Index, StoreError};

use crate::error::{DUPLICATE_KEY, Doing, code_of};

/// The codes for an index that is there with other options, or under another name.
const CONFLICTS: [i32; 2] = [85, 86];

/// Makes the collection and the indexes that are missing. One round trip, and one for each index that is new.
pub(super) async fn ensure(database: &Database, collection: &str, indexes: &[Index]) -> Result<(), StoreError> {
    for index in indexes {
        let name = name(index);
        let doing = Doing::new("making an index of", collection);
        let mut specification = doc! { "key": keys(index), "name": &name };
        if index.is_unique() {
            specification.insert("unique", true);
        }
        let command = doc! { "createIndexes": collection, "indexes": [specification] };
        let Err(error) = database.run_command(command).await else {
            continue;
        };
        let message = match code_of(&error) {
            Some(code) if CONFLICTS.contains(&code) => format!(
                "an index over the same fields as `{name}`, or of that name, is there with other options: drop it, or \
                 change the projection's; {}",
                error.kind
            ),
            Some(DUPLICATE_KEY) => format!(
                "the unique index `{name}` cannot be made, since two documents have the same values; {}",
                error.kind
            ),
            _ => return Err(doing.failed(error)),
        };
        return Err(doing.wrong(ErrorKind::Permanent, message));
    }
    Ok(())
}

fn keys(index: &Index) -> Document {
    let keys = index.fields().iter().map(|(field, direction)| (field.clone(), Bson::Int32(sign(*direction))));
    keys.collect()
}

/// The name that MongoDB itself would give.
fn name(index: &Index) -> String {
    let parts = index.fields().iter().map(|(field, direction)| format!("{field}_{}", sign(*direction)));
    parts.collect::<Vec<_>>().join("_")
}

fn sign(direction: Direction) -> i32 {
    match direction {
        Direction::Ascending => 1,
        Direction::Descending => -1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_has_the_name_that_mongodb_would_give() {
        let index = Index::new(["state", "-total.cents"]).unique();
        assert_eq!(name(&index), "state_1_total.cents_-1");
        assert_eq!(keys(&index), doc! { "state": 1, "total.cents": -1 });
    }
}
