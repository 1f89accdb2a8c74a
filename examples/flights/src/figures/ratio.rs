//! A share or a mean of whole numbers.

/// `part / whole`; `None` where there is no whole.
#[allow(clippy::cast_precision_loss, reason = "sums of minutes are far below 2^52, and one decimal is shown")]
#[must_use]
pub fn ratio(part: i64, whole: i64) -> Option<f64> {
    (whole != 0).then(|| part as f64 / whole as f64)
}
