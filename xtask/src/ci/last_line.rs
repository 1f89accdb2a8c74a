//! The rule that an example's last line is one JSON object, which scripts can read.

use anyhow::{Context, Result, bail};
use serde_json::Value;

/// Refuses output whose last line is no JSON object.
pub(super) fn check(lines: &[String]) -> Result<()> {
    let last = lines.last().context("it printed nothing")?;
    match serde_json::from_str(last) {
        Ok(Value::Object(_)) => Ok(()),
        Ok(_) => bail!("the last line is JSON but no object: {last}"),
        Err(e) => bail!("the last line is no JSON ({e}): {last}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(lines: &[&str]) -> bool {
        check(&lines.iter().map(ToString::to_string).collect::<Vec<_>>()).is_ok()
    }

    #[test]
    fn only_the_last_line_has_to_be_a_json_object() {
        assert!(checked(&["report", r#"{"events":1}"#]));
        assert!(!checked(&[r#"{"events":1}"#, "report"]));
        assert!(!checked(&["1"]));
        assert!(!checked(&[]));
    }
}
