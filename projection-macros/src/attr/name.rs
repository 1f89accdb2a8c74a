//! What a projection may be called: its name becomes a collection's, a table's, a checkpoint's.

use syn::LitStr;

/// Longest name, in bytes: databases limit what we make of it.
const LONGEST: usize = 100;

/// Why `name` is refused, if it is.
pub(crate) fn refused(name: &LitStr) -> Option<String> {
    let value = name.value();
    let why = if value.is_empty() {
        "a projection's name is empty".to_owned()
    } else if value.len() > LONGEST {
        format!("a projection's name has {} bytes", value.len())
    } else if value.starts_with("system.") {
        "a projection's name starts with `system.`, which databases keep for themselves".to_owned()
    } else if value.starts_with('.') || value.ends_with('.') {
        "a projection's name starts or ends with a dot".to_owned()
    } else {
        let refused = value.chars().find(|c| *c == '$' || *c == '\0' || c.is_whitespace())?;
        format!("a projection's name contains {refused:?}")
    };
    Some(format!("{why}: it is 1 to {LONGEST} bytes without whitespace, `$` or NUL"))
}

#[cfg(test)]
mod tests {
    use proc_macro2::Span;

    use super::*;

    fn why(name: &str) -> Option<String> {
        refused(&LitStr::new(name, Span::call_site())).map(|why| why.split(": ").next().unwrap().to_owned())
    }

    #[test]
    fn a_name_that_a_database_would_refuse_is_refused() {
        assert_eq!(why("").unwrap(), "a projection's name is empty");
        assert_eq!(why(&"x".repeat(101)).unwrap(), "a projection's name has 101 bytes");
        assert_eq!(why("a b").unwrap(), "a projection's name contains ' '");
        assert_eq!(why("a$b").unwrap(), "a projection's name contains '$'");
        assert_eq!(why("a\0").unwrap(), "a projection's name contains '\\0'");
        assert_eq!(why(".a").unwrap(), "a projection's name starts or ends with a dot");
        assert_eq!(why("a.").unwrap(), "a projection's name starts or ends with a dot");
        assert!(why("system.x").unwrap().starts_with("a projection's name starts with `system.`"));
    }

    #[test]
    fn other_names_are_taken() {
        assert_eq!(why("order-status"), None);
        assert_eq!(why("Bestellungen.häufig_2"), None);
        assert_eq!(why(&"x".repeat(100)), None);
    }
}
