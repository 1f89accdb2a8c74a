//! What another program sees in the file.

use projection_core::{
    Handlers, Projection, ViewStore as _,
    store::{Expected, SourceName},
};

use crate::support::{Account, Count, File, account, at, change, commit, names, open};

#[tokio::test]
async fn a_view_shows_live_instances_as_rows_with_json() {
    let file = File::new();
    let store = file.open().await;
    let accounts = open::<Account>(&store).await;
    let ids = ["a", "b"].map(str::to_owned);
    let states = [account("a@x"), account("b@x")];
    let changes = [
        change(&ids[0], Some(&states[0]), 1, Expected::Absent),
        change(&ids[1], Some(&states[1]), 2, Expected::Absent),
    ];
    assert_eq!(names(&commit(&accounts, &changes, None, None).await).0, ["written"; 2]);
    commit(&accounts, &[change(&ids[1], None, 3, at(2))], None, None).await;
    open::<Count>(&store).await.save(&7, &70).await.unwrap();

    let plain = file.plain();
    let rows = |sql: &str| -> Vec<(String, String, Option<i64>)> {
        let mut select = plain.prepare(sql).unwrap();
        let rows = select.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)));
        rows.unwrap().map(Result::unwrap).collect()
    };
    assert_eq!(rows("SELECT * FROM account"), [("a".into(), r#"{"email":"a@x","city":"x"}"#.into(), Some(1))]);
    assert_eq!(
        rows("SELECT CAST(id AS TEXT), CAST(state ->> '$.value' AS TEXT), position FROM count"),
        [("7".into(), "70".into(), None)]
    );
}

#[tokio::test]
async fn a_query_on_the_view_uses_a_declared_index() {
    let file = File::new();
    let store = file.open().await;
    open::<Account>(&store).await;
    let plain = file.plain();
    for (field, index) in [("city", "account.v1.city_1"), ("email", "account.v1.email_1")] {
        let sql = format!("EXPLAIN QUERY PLAN SELECT * FROM account WHERE json_extract(state, '$.{field}') = 'x'");
        let plan: String = plain.query_row(&sql, [], |row| row.get(3)).unwrap();
        assert!(plan.contains(&format!("USING INDEX {index} ")), "{plan}");
    }
}

#[tokio::test]
async fn tombstones_are_found_by_their_own_index() {
    let file = File::new();
    open::<Count>(&file.open().await).await;
    let sql = r#"EXPLAIN QUERY PLAN DELETE FROM "count.v1" WHERE state IS NULL AND position <= 5 AND source = 'x'"#;
    let plan: String = file.plain().query_row(sql, [], |row| row.get(3)).unwrap();
    assert!(plan.contains("count.v1.tombstones"), "{plan}");
}

struct CountTwo;

impl Projection for CountTwo {
    type State = i64;
    type Id = i64;
    const NAME: &'static str = "count";
    const VERSION: u32 = 2;

    fn handlers<H: Handlers<Self>>(_handlers: &mut H) {}
}

#[tokio::test]
async fn a_new_version_stands_beside_the_old_one_and_the_view_is_left_as_it_is() {
    let file = File::new();
    let store = file.open().await;
    open::<Count>(&store).await.save(&1, &10).await.unwrap();
    let two = store.views().open::<CountTwo>(&SourceName::default()).await.unwrap();
    assert_eq!(two.find_by_id(&1).await.unwrap(), None);
    two.save(&1, &20).await.unwrap();
    let shown = |sql: &str| -> i64 { file.plain().query_row(sql, [], |row| row.get(0)).unwrap() };
    assert_eq!(shown("SELECT state ->> '$.value' FROM count"), 10);
    assert_eq!(shown(r#"SELECT state ->> '$.value' FROM "count.v2""#), 20);
}
