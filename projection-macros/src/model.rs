//! The user's item as we read it: handlers, their shapes and their parameters.

pub(crate) mod block;
pub(crate) mod function;
pub(crate) mod handler;
pub(crate) mod params;
pub(crate) mod signature;

pub(crate) use block::Block;
pub(crate) use function::Function;
pub(crate) use handler::{Handler, Shape};
pub(crate) use params::Extra;
