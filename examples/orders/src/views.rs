//! The views: one of each order, one of each customer.

mod customer;
mod order;

pub(crate) use customer::CustomerView;
pub(crate) use order::OrderView;

#[cfg(test)]
mod tests;
