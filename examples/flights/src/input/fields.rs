//! One field of a row: a number, a clock time, a code, or `NA` for what is not said.

use csv::ByteRecord;
use time::{OffsetDateTime, format_description::well_known::Rfc3339};

use super::{COLUMNS, RowFault, fault::Shown};

const NOT_SAID: &str = "NA";

/// The fields of one row, by column name.
pub(super) struct Fields<'a>(&'a ByteRecord);

impl<'a> Fields<'a> {
    pub(super) fn new(record: &'a ByteRecord) -> Result<Self, RowFault> {
        if record.len() == COLUMNS.len() {
            Ok(Self(record))
        } else {
            Err(RowFault::Fields { found: record.len(), expected: COLUMNS.len() })
        }
    }

    /// The text of a column, or `None` where it is `NA`.
    fn said(&self, column: &'static str) -> Result<Option<&'a str>, RowFault> {
        let at = COLUMNS.iter().position(|name| *name == column);
        let bytes = at.and_then(|at| self.0.get(at)).unwrap_or_default();
        match std::str::from_utf8(bytes) {
            Ok(NOT_SAID) => Ok(None),
            Ok(text) => Ok(Some(text)),
            Err(_) => Err(RowFault::NotText { column, value: Shown::new(bytes) }),
        }
    }

    fn read<T>(
        &self,
        column: &'static str,
        expected: &'static str,
        parse: impl FnOnce(&'a str) -> Option<T>,
    ) -> Result<Option<T>, RowFault> {
        let Some(text) = self.said(column)? else { return Ok(None) };
        match parse(text) {
            Some(value) => Ok(Some(value)),
            None => Err(RowFault::Unreadable { column, value: Shown::new(text.as_bytes()), expected }),
        }
    }

    /// A whole number from 0 to 65535.
    pub(super) fn number(&self, column: &'static str) -> Result<Option<u16>, RowFault> {
        self.read(column, "a whole number from 0 to 65535", whole)
    }

    /// A delay in minutes; negative is early.
    pub(super) fn delay(&self, column: &'static str) -> Result<Option<i16>, RowFault> {
        self.read(column, "whole minutes, at most 720 early and 32767 late", |text| {
            let digits = text.strip_prefix('-').unwrap_or(text);
            let minutes: i16 = whole(digits)?;
            let minutes = if digits.len() < text.len() { -minutes } else { minutes };
            (minutes >= -720).then_some(minutes)
        })
    }

    /// A clock time `hmm` or `hhmm` in minutes after midnight. 2400 is midnight too.
    pub(super) fn clock(&self, column: &'static str) -> Result<Option<u16>, RowFault> {
        self.read(column, "a clock time from 0 to 2400, such as 1745", |text| {
            let clock: u16 = whole(text)?;
            let minutes = clock / 100 * 60 + clock % 100;
            (clock <= 2400 && clock % 100 < 60).then_some(minutes % (24 * 60))
        })
    }

    /// A carrier, an airport or a tail number.
    pub(super) fn code(&self, column: &'static str) -> Result<Option<&'a str>, RowFault> {
        self.read(column, "2 to 8 ASCII letters and digits", |text| {
            let fits = (2..=8).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_alphanumeric());
            fits.then_some(text)
        })
    }

    /// A moment.
    pub(super) fn moment(&self, column: &'static str) -> Result<Option<OffsetDateTime>, RowFault> {
        self.read(column, "a time such as 2013-01-01T10:00:00Z", |text| OffsetDateTime::parse(text, &Rfc3339).ok())
    }
}

/// Digits and nothing else: no sign, no space.
fn whole<T: std::str::FromStr>(text: &str) -> Option<T> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if digits { text.parse().ok() } else { None }
}

/// What a column says, or the fault that it does not.
pub(super) fn needed<T>(
    value: Result<Option<T>, RowFault>,
    column: &'static str,
    because: &'static str,
) -> Result<T, RowFault> {
    value?.ok_or(RowFault::NotSaid { column, because })
}
