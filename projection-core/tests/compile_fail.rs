//! Each mistake is one message, on its token, that says what to write; each `.stderr` is read by a person.

#[test]
fn each_mistake_is_one_message_that_says_what_to_write() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/ui/*.rs");
    cases.pass("tests/ui/pass/*.rs");
}
