//! The rule that the core pulls in no database driver.

use anyhow::{Result, bail};

/// What the names of drivers have in them.
const DRIVERS: &[&str] = &["mongodb", "bson", "sqlite", "postgres"];

/// Refuses the output of `cargo tree --prefix none` if it names a driver.
pub(super) fn refuse(tree: &str) -> Result<()> {
    let names = tree.lines().filter_map(|line| line.split_whitespace().next());
    let mut found = names.filter(|name| DRIVERS.iter().any(|driver| name.contains(driver))).collect::<Vec<_>>();
    found.sort_unstable();
    found.dedup();
    if !found.is_empty() {
        bail!("projection-core depends on {}: a store belongs into a crate of its own", found.join(", "));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_driver_at_any_depth_is_refused_by_name() {
        let tree =
            "projection-core v0.1.0 (/x)\nserde v1.0.0\nlibsqlite3-sys v0.1.0\nbson v3.0.0\nbson v3.0.0 (*)\n";
        let message = refuse(tree).unwrap_err().to_string();
        assert!(message.contains("bson, libsqlite3-sys:"), "{message}");
    }

    #[test]
    fn a_path_that_names_a_driver_is_no_driver() {
        refuse("projection-core v0.1.0 (/mongodb/x)\nserde v1.0.0\n").unwrap();
    }
}
