//! MongoDB for projection-core.

mod decode;
mod document;
mod error;
mod id;
mod writer;
