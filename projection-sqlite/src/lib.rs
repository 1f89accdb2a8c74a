//! SQLite for projection-core: events, views, checkpoints and leases in one file.
