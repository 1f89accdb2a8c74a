//! The nearest known word, for a word that was mistyped.

/// The word of `known` that `word` was probably meant to be.
pub(crate) fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    known
        .into_iter()
        .map(|candidate| (distance(word, candidate), candidate))
        .filter(|(distance, candidate)| *distance <= candidate.len().max(word.len()) / 2)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Levenshtein's distance, in bytes.
fn distance(left: &str, right: &str) -> usize {
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (i, l) in left.bytes().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, r) in right.bytes().enumerate() {
            let substituted = diagonal + usize::from(l != r);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[right.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: [&str; 4] = ["name", "batch_size", "singleton", "key"];

    #[test]
    fn a_mistyped_word_finds_the_one_that_was_meant() {
        assert_eq!(nearest("batchsize", KNOWN), Some("batch_size"));
        assert_eq!(nearest("batch", KNOWN), Some("batch_size"));
        assert_eq!(nearest("nmae", KNOWN), Some("name"));
        assert_eq!(nearest("keys", KNOWN), Some("key"));
    }

    #[test]
    fn a_word_that_resembles_none_finds_none() {
        assert_eq!(nearest("retention", KNOWN), None);
    }
}
