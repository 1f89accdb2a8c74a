//! Values that have a sensible form as another type: dates, ids and UUIDs as text, whole doubles as integers.

use bson::{RawBsonRef, spec::BinarySubtype};

/// The value as text, where its type is one that JSON would write as text.
pub(super) fn as_text(value: RawBsonRef<'_>) -> Option<String> {
    match value {
        RawBsonRef::DateTime(date) => date.try_to_rfc3339_string().ok(),
        RawBsonRef::ObjectId(id) => Some(id.to_hex()),
        RawBsonRef::Decimal128(decimal) => Some(decimal.to_string()),
        RawBsonRef::Binary(binary) if binary.subtype == BinarySubtype::Uuid => {
            let bytes: [u8; 16] = binary.bytes.try_into().ok()?;
            Some(bson::Uuid::from_bytes(bytes).to_string())
        }
        _ => None,
    }
}

/// The value as an integer, where it is a double without a fraction.
pub(crate) fn as_whole(value: RawBsonRef<'_>) -> Option<i64> {
    // Up to here each whole number is a double of its own.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    match value {
        #[expect(clippy::cast_possible_truncation, reason = "whole and in range")]
        RawBsonRef::Double(double) if double.fract() == 0.0 && double.abs() <= EXACT => Some(double as i64),
        _ => None,
    }
}
