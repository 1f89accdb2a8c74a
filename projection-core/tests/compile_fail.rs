//! Each mistake is one message, on its token, that says what to write; each `.stderr` is read by a person.

#[test]
fn each_mistake_is_one_message_that_says_what_to_write() {
    trybuild::TestCases::new().compile_fail("tests/ui/*.rs");
}
