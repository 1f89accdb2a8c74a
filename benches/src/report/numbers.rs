//! Numbers as a person reads them.

/// Whole, with commas.
pub(super) fn whole(number: f64) -> String {
    let digits = format!("{number:.0}");
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// With three digits that say something.
pub(super) fn short(number: f64) -> String {
    match number {
        0.0 => "0".to_owned(),
        100.0.. => whole(number),
        10.0.. => format!("{number:.1}"),
        0.01.. => format!("{number:.2}"),
        _ => format!("{number:.4}"),
    }
}

/// In megabytes.
pub(super) fn megabytes(bytes: u64) -> String {
    format!("{:.0}", bytes as f64 / 1e6)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_set_apart() {
        assert_eq!(whole(1_234_567.4), "1,234,567");
        assert_eq!(whole(999.0), "999");
        assert_eq!(whole(100_000.0), "100,000");
    }

    #[test]
    fn a_small_number_keeps_its_digits() {
        assert_eq!(short(0.002), "0.0020");
        assert_eq!(short(2.004), "2.00");
        assert_eq!(short(21_345.0), "21,345");
        assert_eq!(short(0.0), "0");
    }

    #[test]
    fn bytes_are_rounded_to_megabytes() {
        assert_eq!(megabytes(1_600_000), "2");
    }
}
