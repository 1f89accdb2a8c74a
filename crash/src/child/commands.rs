//! The steps inside a call: before a command is sent to MongoDB, and after its answer.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use mongodb::event::{EventHandler, command::CommandEvent};

use super::steps::{Call, Steps};
use crate::journal::What;

/// Told of each command by the driver, in the task that sends it, before it is sent.
pub(super) fn handler(steps: Arc<Steps>) -> EventHandler<CommandEvent> {
    let sent: Mutex<HashMap<i32, (String, &'static str)>> = Mutex::default();
    let handle = move |event: CommandEvent| match event {
        CommandEvent::Started(started) => {
            let Some(call) = Call::current() else { return };
            let collection = started.command.get(&started.command_name).and_then(|value| value.as_str());
            let about = collection.map(about).unwrap_or_default();
            let name = format!("{} {about}", started.command_name);
            let name = format!("{} in {}", name.trim_end(), call.name);
            if started.command_name == "commitTransaction" {
                steps.note(What::Sending { projection: call.projection.to_owned() });
            }
            steps.reached(&format!("before {name}"), call.projection);
            lock(&sent).insert(started.request_id, (name, call.projection));
        }
        CommandEvent::Succeeded(succeeded) => {
            let done = lock(&sent).remove(&succeeded.request_id);
            if let Some((name, projection)) = done {
                steps.reached(&format!("after {name}"), projection);
            }
        }
        CommandEvent::Failed(failed) => drop(lock(&sent).remove(&failed.request_id)),
        _ => {}
    };
    EventHandler::callback(handle)
}

fn lock<T>(sent: &Mutex<T>) -> MutexGuard<'_, T> {
    sent.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What a collection holds.
fn about(collection: &str) -> &str {
    match collection {
        "events" => "events",
        ours if ours.starts_with("projection.") => &ours["projection.".len()..],
        tombstones if tombstones.ends_with(".tombstones") => "tombstones",
        _ => "view",
    }
}

#[cfg(test)]
mod tests {
    use super::about;

    #[test]
    fn a_step_names_what_a_collection_holds() {
        assert_eq!(about("carriers.v1"), "view");
        assert_eq!(about("carriers.v1.tombstones"), "tombstones");
        assert_eq!(about("projection.fences"), "fences");
        assert_eq!(about("events"), "events");
    }
}
