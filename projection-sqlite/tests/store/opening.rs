//! What is refused when a file or a view is opened, and how.

use std::fs;

use projection_core::append::{AppendEvents as _, ExpectedVersion};
use projection_core::{ErrorKind, Handlers, Index, Projection, StoreError, ViewStore as _, store::SourceName};
use projection_sqlite::SqliteStore;

use crate::support::{Account, Count, File, account, event, open};

async fn refused(file: &File) -> StoreError {
    SqliteStore::open(file.path()).await.unwrap_err()
}

#[tokio::test]
async fn a_directory_that_does_not_exist_is_asked_about() {
    let file = File::new();
    let error = SqliteStore::open(file.path().join("missing/test.db")).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Permanent);
    let message = error.to_string();
    assert!(message.contains("missing/test.db") && message.contains("does its directory exist"), "{message}");
}

#[tokio::test]
async fn a_file_that_is_no_database_is_refused_and_left_as_it_is() {
    let file = File::new();
    let text = "no database, but quite a long text; ".repeat(100);
    fs::write(file.path(), &text).unwrap();
    let error = refused(&file).await;
    assert_eq!(error.kind(), ErrorKind::Permanent);
    assert!(error.to_string().contains("the file is no SQLite database"), "{error}");
    assert_eq!(fs::read_to_string(file.path()).unwrap(), text);
}

#[tokio::test]
async fn a_damaged_file_is_an_error_that_says_what_helps() {
    let file = File::new();
    {
        let accounts = open::<Account>(&file.open().await).await;
        for n in 0..500 {
            accounts.save(&format!("{n}"), &account(&n.to_string())).await.unwrap();
        }
    }
    file.plain().execute_batch("PRAGMA wal_checkpoint(TRUNCATE)").unwrap();
    let mut bytes = fs::read(file.path()).unwrap();
    let from = 4096 * 2;
    bytes[from..].fill(0xA5);
    fs::write(file.path(), bytes).unwrap();
    let error = match SqliteStore::open(file.path()).await {
        Err(error) => error,
        Ok(store) => match store.views().open::<Account>(&SourceName::default()).await {
            Err(error) => error,
            Ok(accounts) => accounts.find_by_id(&"1".to_owned()).await.unwrap_err(),
        },
    };
    assert_eq!(error.kind(), ErrorKind::Permanent);
    assert!(error.to_string().contains("the file is damaged; restore it"), "{error}");
}

#[tokio::test]
async fn a_table_called_events_that_is_not_ours_is_refused() {
    let file = File::new();
    file.plain().execute_batch("CREATE TABLE Events (what TEXT)").unwrap();
    let error = refused(&file).await;
    assert!(error.to_string().contains("it has a table `Events` that is not ours"), "{error}");
}

#[tokio::test]
async fn tables_of_the_user_s_are_left_alone() {
    let file = File::new();
    file.plain().execute_batch("CREATE TABLE stock (sku TEXT); INSERT INTO stock VALUES ('a')").unwrap();
    file.open().await;
    let found: String = file.plain().query_row("SELECT sku FROM stock", [], |row| row.get(0)).unwrap();
    assert_eq!(found, "a");
}

#[tokio::test]
async fn a_file_of_a_later_release_is_refused_naming_both_versions() {
    let file = File::new();
    drop(file.open().await);
    file.plain().execute_batch(r#"UPDATE "projection.schema" SET version = 9"#).unwrap();
    let error = refused(&file).await;
    assert!(error.to_string().contains("have the version 9, and this release knows 1"), "{error}");
}

#[tokio::test]
async fn many_that_open_a_new_file_at_once_all_succeed() {
    let file = File::new();
    let mut opening = tokio::task::JoinSet::new();
    for n in 0..8 {
        let path = file.path();
        opening.spawn(async move {
            let store = SqliteStore::open(path).await.unwrap();
            open::<Account>(&store).await;
            store.events().append("a", ExpectedVersion::Any, [event(&n.to_string())]).await
        });
    }
    for appended in opening.join_all().await {
        appended.unwrap();
    }
}

#[tokio::test]
async fn what_was_stored_is_there_after_opening_again() {
    let file = File::new();
    {
        let store = file.open().await;
        store.events().append("a", ExpectedVersion::Any, [event("1")]).await.unwrap();
        open::<Count>(&store).await.save(&1, &10).await.unwrap();
    }
    let store = file.open().await;
    assert_eq!(projection_core::EventStore::mark(&store.events()).await.unwrap().as_i64(), 1);
    assert_eq!(open::<Count>(&store).await.find_by_id(&1).await.unwrap(), Some(10));
}

macro_rules! view {
    ($type:ident, $name:literal, $($index:expr)?) => {
        struct $type;

        impl Projection for $type {
            type State = Account;
            type Id = String;
            const NAME: &'static str = $name;

            fn indexes() -> Vec<Index> {
                vec![$($index)?]
            }

            fn handlers<H: Handlers<Self>>(_handlers: &mut H) {}
        }
    };
}

view!(UpperCase, "Account",);
view!(Events, "events",);
view!(Reserved, "sqlite_x",);
view!(Quoted, "it's \"so\"", Index::new(["city", "-email.a-b"]));
view!(NotUniqueAnyMore, "account", Index::new(["email"]));
view!(UniqueNow, "account", Index::new(["city"]).unique());

async fn open_error<P: Projection>(store: &SqliteStore) -> StoreError {
    match store.views().open::<P>(&SourceName::default()).await {
        Ok(_) => panic!("{} was opened", P::NAME),
        Err(error) => error,
    }
}

#[tokio::test]
async fn a_name_that_is_taken_or_reserved_is_refused() {
    let store = SqliteStore::open_in_memory().await.unwrap();
    open::<Account>(&store).await;
    let error = open_error::<UpperCase>(&store).await;
    assert_eq!(error.kind(), ErrorKind::Permanent);
    assert!(error.to_string().contains("takes upper and lower case for the same"), "{error}");
    let error = open_error::<Events>(&store).await;
    assert!(error.to_string().contains("there is a table `events`, which is not ours"), "{error}");
    let error = open_error::<Reserved>(&store).await;
    assert!(error.to_string().contains("does not begin with `sqlite_`"), "{error}");
}

#[tokio::test]
async fn any_other_name_is_taken_as_it_is() {
    let store = SqliteStore::open_in_memory().await.unwrap();
    for _ in 0..2 {
        let view = open::<Quoted>(&store).await;
        view.save(&"a".to_owned(), &account("a@x")).await.unwrap();
        assert_eq!(view.find_by_id(&"a".to_owned()).await.unwrap(), Some(account("a@x")));
    }
}

#[tokio::test]
async fn an_index_that_is_there_with_other_options_is_refused() {
    let store = SqliteStore::open_in_memory().await.unwrap();
    open::<Account>(&store).await;
    let error = open_error::<NotUniqueAnyMore>(&store).await;
    assert!(error.to_string().contains("an index `account.v1.email_1` is there with other options"), "{error}");
}

#[tokio::test]
async fn a_unique_index_over_values_that_are_not_is_refused_and_nothing_is_left_of_it() {
    let store = SqliteStore::open_in_memory().await.unwrap();
    let accounts = open::<NotUniqueAnyMore>(&store).await;
    for id in ["a", "b"] {
        accounts.save(&id.to_owned(), &account(id)).await.unwrap();
    }
    let error = open_error::<UniqueNow>(&store).await;
    assert_eq!(error.kind(), ErrorKind::Unique);
    assert!(error.to_string().contains("two instances have the same values"), "{error}");
    open::<NotUniqueAnyMore>(&store).await;
}

#[tokio::test]
async fn an_error_keeps_what_sqlite_said_as_its_source() {
    let file = File::new();
    let error = SqliteStore::open(file.path().join("missing/test.db")).await.unwrap_err();
    let source = std::error::Error::source(&error).unwrap().downcast_ref::<rusqlite::Error>().unwrap();
    assert_eq!(source.sqlite_error_code(), Some(rusqlite::ErrorCode::CannotOpen));
}
