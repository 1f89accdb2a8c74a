//! Numbers and times as a person reads them.

use time::OffsetDateTime;

use crate::figures::ratio;

/// With a comma between thousands.
pub(crate) fn whole(number: i64) -> String {
    let digits = number.unsigned_abs().to_string();
    let mut text = String::from(if number < 0 { "-" } else { "" });
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `part` of `whole` in percent; empty where there is no whole.
pub(super) fn percent(part: i64, whole: i64) -> String {
    ratio(part * 100, whole).map_or_else(String::new, |percent| format!("{percent:.1} %"))
}

/// The mean of a sum, in minutes; empty where there is nothing to sum.
pub(super) fn mean(sum: i64, count: i64) -> String {
    ratio(sum, count).map_or_else(String::new, |minutes| format!("{minutes:.1} min"))
}

/// A moment to the minute, by the clocks of its place.
pub(super) fn minute(at: OffsetDateTime) -> String {
    format!("{} {:02}:{:02}", at.date(), at.hour(), at.minute())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_told_apart() {
        assert_eq!(whole(0), "0");
        assert_eq!(whole(999), "999");
        assert_eq!(whole(-1000), "-1,000");
        assert_eq!(whole(336_776), "336,776");
        assert_eq!(whole(1_001_615), "1,001,615");
    }

    #[test]
    fn nothing_has_no_share_and_no_mean() {
        assert_eq!(percent(1, 8), "12.5 %");
        assert_eq!(percent(1, 0), "");
        assert_eq!(mean(-3, 2), "-1.5 min");
    }
}
