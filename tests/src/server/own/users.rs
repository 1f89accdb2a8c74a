//! A replica set that asks who one is.

use std::os::unix::fs::PermissionsExt;

use bson::{Document, doc};
use tempfile::NamedTempFile;

use super::OwnReplicaSet;
use crate::server::TestDatabase;

/// A replica set of one on which nobody may do anything but `root` and those who are made.
#[derive(Debug)]
pub struct OwnUsers {
    set: OwnReplicaSet,
    _key: NamedTempFile,
    root: TestDatabase,
}

impl OwnUsers {
    /// Starts it.
    pub async fn start() -> Self {
        let key = NamedTempFile::new().unwrap();
        std::fs::write(key.path(), "the members tell each other apart by this").unwrap();
        std::fs::set_permissions(key.path(), PermissionsExt::from_mode(0o600)).unwrap();
        let set = OwnReplicaSet::start(1, &["--keyFile", key.path().to_str().unwrap()]).await;
        // Who connects from here may make the first user.
        let command = doc! { "createUser": "root", "pwd": "secret", "roles": ["root"] };
        set.first().admin().await.run_command(command).await.unwrap();
        let root = TestDatabase::at(&uri(&set, "root")).await;
        Self { set, _key: key, root }
    }

    /// The database as `root` sees it.
    #[must_use]
    pub fn root(&self) -> &TestDatabase {
        &self.root
    }

    /// Makes a user with these roles in the database, and gives the database as that user sees it.
    pub async fn user(&self, name: &str, roles: &[&str]) -> TestDatabase {
        self.run(doc! { "createUser": name, "pwd": "secret", "roles": self.roles(roles) }).await;
        self.root.by(&uri(&self.set, name)).await
    }

    /// The user has these roles in the database from now on, and no others.
    pub async fn grant(&self, name: &str, roles: &[&str]) {
        self.run(doc! { "updateUser": name, "roles": self.roles(roles) }).await;
    }

    fn roles(&self, roles: &[&str]) -> Vec<Document> {
        roles.iter().map(|role| doc! { "role": role, "db": self.root.database.name() }).collect()
    }

    async fn run(&self, command: Document) {
        self.root.database.client().database("admin").run_command(command).await.unwrap();
    }
}

fn uri(set: &OwnReplicaSet, user: &str) -> String {
    format!("mongodb://{user}:secret@{}/?authSource=admin&directConnection=true", set.first().address())
}
