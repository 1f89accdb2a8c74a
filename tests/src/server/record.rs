//! What `cargo xtask` hands over: where the server is, and which `mongod` tests may start by themselves.

use std::{env, fs, path::PathBuf};

/// The server's address: `MONGODB_URI`, or what `cargo xtask services up` wrote.
///
/// # Panics
///
/// When there is neither.
pub fn uri() -> String {
    let uri = env::var("MONGODB_URI").ok().filter(|uri| !uri.is_empty()).or_else(|| recorded("mongodb_uri"));
    uri.expect("this test needs a MongoDB server; start one with: cargo xtask services up")
}

/// The program: `PROJECTION_MONGOD`, or what `cargo xtask services up` wrote.
pub(super) fn program() -> PathBuf {
    let given = env::var("PROJECTION_MONGOD").ok().filter(|path| !path.is_empty());
    let program = given.or_else(|| recorded("mongod"));
    program.expect("this test starts a mongod of its own: set PROJECTION_MONGOD to the program").into()
}

fn recorded(field: &str) -> Option<String> {
    let target = env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../target"), PathBuf::from);
    let services = fs::read_to_string(target.join("xtask/services.json")).ok()?;
    let services: serde_json::Value = serde_json::from_str(&services).ok()?;
    Some(services.get(field)?.as_str()?.to_owned())
}
