//! Each thing that a macro can say is said again by hand, and both are run over the same events: the states are the
//! same after every event.
#![allow(clippy::unwrap_used, reason = "a test ends where it is wrong")]

mod twins {
    mod created_changed_deleted;
    mod derives;
    mod fanned_out;
    mod functions;
    mod history;
    mod ids;
    mod recorder;
    mod settings;
    mod several_handlers;
}
