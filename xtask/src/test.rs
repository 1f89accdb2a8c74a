//! Every test of the workspace, with the services that they need for as long as they need them.

use std::process::ExitStatus;

use anyhow::Result;

use crate::cargo;
use crate::interrupt::Signals;
use crate::services::{self, InUse, MONGODB_URI, PROJECTION_MONGOD};

/// Runs `cargo test` on the whole workspace with `args` appended, and puts away the services that it started.
pub(crate) async fn run(args: &[String], signals: &mut Signals) -> Result<ExitStatus> {
    let in_use = signals.or(InUse::announce()).await?;
    let up = signals.or(services::up()).await?;
    let mut command = cargo::cargo(arguments(args));
    command.env(MONGODB_URI, &up.uri);
    if let Some(mongod) = &up.mongod
        && std::env::var_os(PROJECTION_MONGOD).is_none()
    {
        command.env(PROJECTION_MONGOD, mongod);
    }
    let result = cargo::run(command, signals).await;
    if up.started {
        match in_use.end()? {
            Some(_nobody_begins) => services::down().await?,
            None => eprintln!("mongod is left to another run of the tests; `cargo xtask services down` ends it"),
        }
    }
    result
}

/// Packages that are named go before the whole workspace.
fn arguments(args: &[String]) -> Vec<&str> {
    let of_cargo = || args.iter().take_while(|arg| *arg != "--");
    let names_packages = of_cargo().any(|arg| arg.starts_with("-p") || arg.starts_with("--package"));
    let workspace = (!names_packages).then_some("--workspace");
    let ours = ["test"].into_iter().chain(workspace).chain(["--all-features"]);
    ours.chain(args.iter().map(String::as_str)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arguments_for(args: &[&str]) -> String {
        arguments(&args.iter().map(ToString::to_string).collect::<Vec<_>>()).join(" ")
    }

    #[test]
    fn the_whole_workspace_is_tested_with_all_features() {
        assert_eq!(arguments_for(&[]), "test --workspace --all-features");
    }

    #[test]
    fn arguments_go_to_cargo_test_and_beyond_it() {
        let expected = "test --workspace --all-features name -- --nocapture -p";
        assert_eq!(arguments_for(&["name", "--", "--nocapture", "-p"]), expected);
    }

    #[test]
    fn a_named_package_is_tested_alone() {
        assert_eq!(arguments_for(&["-p", "xtask"]), "test --all-features -p xtask");
    }
}
