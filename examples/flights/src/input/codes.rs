//! Carrier, airport and tail number codes, each kept once: a row holds four bytes for each.

use std::{collections::HashMap, sync::Arc};

/// A code that [`Codes`] keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Code(u32);

/// Every code that was seen, once.
#[derive(Debug, Default)]
pub struct Codes {
    texts: Vec<Arc<str>>,
    known: HashMap<Arc<str>, Code>,
}

impl Codes {
    /// The code of a text, the same for the same text. `None` past 4,294,967,295 different texts.
    pub fn intern(&mut self, text: &str) -> Option<Code> {
        if let Some(code) = self.known.get(text) {
            return Some(*code);
        }
        let code = Code(u32::try_from(self.texts.len()).ok()?);
        let text: Arc<str> = text.into();
        self.texts.push(text.clone());
        self.known.insert(text, code);
        Some(code)
    }

    /// The text of a code of this table; empty for a code of another one.
    #[must_use]
    pub fn text(&self, code: Code) -> &str {
        usize::try_from(code.0).ok().and_then(|at| self.texts.get(at)).map_or("", |text| text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_the_same_for_the_same_text() {
        let mut codes = Codes::default();
        let (jfk, lga) = (codes.intern("JFK").unwrap(), codes.intern("LGA").unwrap());
        assert_ne!(jfk, lga);
        assert_eq!(codes.intern("JFK").unwrap(), jfk);
        assert_eq!(codes.text(lga), "LGA");
    }
}
