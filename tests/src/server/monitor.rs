//! What a client has sent.

use std::sync::{Arc, Mutex};

use mongodb::event::command::CommandEvent;

/// The commands that a client has sent, in order.
#[derive(Debug, Clone, Default)]
pub struct Commands(Arc<Mutex<Vec<Ran>>>);

/// A command that was sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ran {
    /// Its name, such as `find`.
    pub name: String,
    /// The collection it is for.
    pub collection: String,
}

impl Commands {
    pub(super) fn record(&self, event: CommandEvent) {
        if let CommandEvent::Started(started) = event {
            let collection = started.command.get(&started.command_name).and_then(|value| value.as_str());
            let collection = collection.or_else(|| started.command.get_str("collection").ok());
            let ran = Ran { collection: collection.unwrap_or_default().to_owned(), name: started.command_name };
            self.0.lock().unwrap().push(ran);
        }
    }

    /// The names of the commands since the last call.
    pub fn take(&self) -> Vec<String> {
        self.take_with_collections().into_iter().map(|ran| ran.name).collect()
    }

    /// The commands since the last call.
    pub fn take_with_collections(&self) -> Vec<Ran> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}
