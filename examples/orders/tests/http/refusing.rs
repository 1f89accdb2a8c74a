//! What is wrong is told what would be right.

use serde_json::{Value, json};

use crate::program::Home;

#[test]
fn a_bad_order_is_told_what_a_good_one_is() {
    let home = Home::sqlite();
    let program = home.start();
    let line = |sku: &str, pieces: i64, cents: i64| json!({ "sku": sku, "pieces": pieces, "cents_each": cents });
    let order = |customer: &str, lines: &[Value]| json!({ "customer_id": customer, "lines": lines });
    for (body, right) in [
        (json!({}), r#"send JSON such as {"customer_id": "ada""#),
        (order("", &[line("mug", 1, 1)]), "use 1 to 64 letters"),
        (order("ada", &[]), "an order has 1 to 100"),
        (order("ada", &[line("mug", 0, 1)]), "order 1 to 10000 pieces"),
        (order("ada", &[line("mug", -1, 1)]), "lines[0].pieces"),
        (order("ada", &[line(" ", 1, 1)]), "it names the article"),
        (order("ada", &[line("mug", 1, 1), line("cup", 1, -1)]), "lines[1].cents_each"),
    ] {
        let answer = program.post_json("/orders", &body, None);
        assert_eq!(answer.status, 422, "{answer:?}");
        assert!(answer.detail().contains(right), "{body} is not told {right:?}: {answer:?}");
    }
    let answer = program.post_text("/orders", "application/json", "{");
    assert_eq!((answer.status, answer.problem()), (400, "bad-body"));
    let answer = program.post_text("/orders", "text/plain", "two mugs");
    assert_eq!((answer.status, answer.problem()), (415, "bad-body"));
}

#[test]
fn ids_keys_tokens_and_paths_that_are_none_are_told_what_they_look_like() {
    let home = Home::sqlite();
    let program = home.start();
    for (path, status, right) in [
        ("/orders/o-1", 400, "reads like 6f1c2f0e-"),
        ("/customers/a%20b", 400, "use 1 to 64 letters"),
        ("/customers/ada?after=7", 400, "a token reads like `events:16..18`"),
        ("/customers/ada?after=others:0..1", 400, "reads the events of `events`"),
        ("/customer/ada", 404, "GET /customers/{id}"),
        ("/orders", 405, "POST /orders"),
    ] {
        let answer = program.get(path);
        assert_eq!(answer.status, status, "{path}: {answer:?}");
        assert!(answer.detail().contains(right), "{path} is not told {right:?}: {answer:?}");
    }
    let answer = program.post_json("/orders", &crate::client::mug("ada"), Some("short"));
    assert_eq!((answer.status, answer.problem()), (400, "no-key"));
}
