//! What a customer sends to order something, and what is right in it.

use serde::Deserialize;

use crate::{
    events::{Line, OrderPlaced},
    ids::{CustomerId, OrderId},
};

/// An order to be placed.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PlaceOrder {
    customer_id: CustomerId,
    lines: Vec<Line>,
}

const MAX_LINES: usize = 100;
const MAX_PIECES: u32 = 10_000;
const MAX_CENTS: i64 = 100_000_000;

/// It is no order.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NoOrder {
    #[error("`lines` has {0} lines: an order has 1 to {MAX_LINES}")]
    Lines(usize),
    #[error("`lines[{0}].sku` is empty: it names the article, such as \"mug\"")]
    Sku(usize),
    #[error("`lines[{0}].pieces` is {1}: order 1 to {MAX_PIECES} pieces")]
    Pieces(usize, u32),
    #[error("`lines[{0}].cents_each` is {1}: a piece costs 0 to {MAX_CENTS} cents")]
    Cents(usize, i64),
}

impl PlaceOrder {
    /// The event, if this is an order.
    pub(crate) fn decide(self, order_id: OrderId) -> Result<OrderPlaced, NoOrder> {
        let Self { customer_id, lines } = self;
        if lines.is_empty() || lines.len() > MAX_LINES {
            return Err(NoOrder::Lines(lines.len()));
        }
        for (at, Line { sku, pieces, cents_each }) in lines.iter().enumerate() {
            if sku.trim().is_empty() {
                return Err(NoOrder::Sku(at));
            }
            if !(1..=MAX_PIECES).contains(pieces) {
                return Err(NoOrder::Pieces(at, *pieces));
            }
            if !(0..=MAX_CENTS).contains(cents_each) {
                return Err(NoOrder::Cents(at, *cents_each));
            }
        }
        let total_cents = lines.iter().map(|line| i64::from(line.pieces) * line.cents_each).sum();
        Ok(OrderPlaced { order_id, customer_id, lines, total_cents })
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    fn order(lines: Vec<Line>) -> Result<OrderPlaced, NoOrder> {
        PlaceOrder { customer_id: "ada".parse().unwrap(), lines }.decide(OrderId::random())
    }

    fn line(pieces: u32, cents_each: i64) -> Line {
        Line { sku: "mug".to_owned(), pieces, cents_each }
    }

    /// An order of one mug.
    pub(crate) fn placed(customer: &str, cents: i64) -> OrderPlaced {
        let lines = vec![line(1, cents)];
        PlaceOrder { customer_id: customer.parse().unwrap(), lines }.decide(OrderId::random()).unwrap()
    }

    #[test]
    fn an_order_costs_what_its_lines_cost() {
        assert_eq!(order(vec![line(2, 990), line(1, 5)]).unwrap().total_cents, 1985);
    }

    #[test]
    fn what_is_no_order_is_refused_and_told_what_is_right() {
        let refusal = |lines| order(lines).unwrap_err().to_string();
        assert_eq!(refusal(vec![]), "`lines` has 0 lines: an order has 1 to 100");
        assert_eq!(refusal(vec![line(0, 5)]), "`lines[0].pieces` is 0: order 1 to 10000 pieces");
        let negative = refusal(vec![line(1, 5), line(1, -5)]);
        assert_eq!(negative, "`lines[1].cents_each` is -5: a piece costs 0 to 100000000 cents");
    }
}
