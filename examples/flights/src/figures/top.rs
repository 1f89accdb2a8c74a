//! The first few of many, without keeping the many.

use std::collections::{BTreeMap, btree_map};

/// Keeps the items with the lowest ranks.
#[derive(Debug)]
pub struct Top<R, T> {
    most: usize,
    kept: BTreeMap<R, T>,
}

impl<R: Ord, T: Clone> Top<R, T> {
    /// Keeps this many at most.
    #[must_use]
    pub fn of(most: usize) -> Self {
        Self { most, kept: BTreeMap::new() }
    }

    /// Keeps the item if its rank is among the lowest so far. No two items may have one rank.
    pub fn offer(&mut self, rank: R, item: &T) {
        if self.kept.len() < self.most || self.kept.last_key_value().is_some_and(|(last, _)| rank < *last) {
            self.kept.insert(rank, item.clone());
            if self.kept.len() > self.most {
                self.kept.pop_last();
            }
        }
    }
}

impl<R, T> IntoIterator for Top<R, T> {
    type Item = (R, T);
    type IntoIter = btree_map::IntoIter<R, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.kept.into_iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lowest_ranks_are_kept_in_order() {
        let mut top = Top::of(2);
        for rank in [5, 3, 9, 1, 7] {
            top.offer(rank, &());
        }
        assert_eq!(top.into_iter().map(|(rank, ())| rank).collect::<Vec<_>>(), [1, 3]);
    }
}
