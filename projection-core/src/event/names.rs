//! Event names, compared at compile time, so that two handlers cannot claim one name.

/// The names one kind of event is stored under.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct EventType {
    /// The name of new events.
    pub name: &'static str,
    /// Names of older ones.
    pub aliases: &'static [&'static str],
}

impl EventType {
    /// The names of `E`.
    #[must_use]
    pub const fn of<E: super::Event>() -> Self {
        Self { name: E::NAME, aliases: E::ALIASES }
    }

    /// All names, the current one first.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        std::iter::once(self.name).chain(self.aliases.iter().copied())
    }
}

/// Whether any name is in both sets. For the macros' compile-time checks.
#[doc(hidden)]
#[must_use]
pub const fn share_a_name(left: &[EventType], right: &[EventType]) -> bool {
    let mut i = 0;
    while i < left.len() {
        let mut j = 0;
        while j < right.len() {
            if types_clash(left[i], right[j]) {
                return true;
            }
            j += 1;
        }
        i += 1;
    }
    false
}

const fn types_clash(left: EventType, right: EventType) -> bool {
    if same(left.name, right.name) || contains(left.aliases, right.name) || contains(right.aliases, left.name) {
        return true;
    }
    let mut i = 0;
    while i < left.aliases.len() {
        if contains(right.aliases, left.aliases[i]) {
            return true;
        }
        i += 1;
    }
    false
}

const fn contains(names: &[&str], name: &str) -> bool {
    let mut i = 0;
    while i < names.len() {
        if same(names[i], name) {
            return true;
        }
        i += 1;
    }
    false
}

const fn same(left: &str, right: &str) -> bool {
    let (left, right) = (left.as_bytes(), right.as_bytes());
    if left.len() != right.len() {
        return false;
    }
    let mut i = 0;
    while i < left.len() {
        if left[i] != right[i] {
            return false;
        }
        i += 1;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLACED: EventType = EventType { name: "OrderPlaced", aliases: &["OrderCreated"] };

    #[test]
    fn a_name_clashes_with_an_alias_in_either_direction() {
        let created = EventType { name: "OrderCreated", aliases: &[] };
        assert!(share_a_name(&[PLACED], &[created]));
        assert!(share_a_name(&[created], &[PLACED]));
        assert!(share_a_name(&[PLACED], &[EventType { name: "X", aliases: &["OrderCreated"] }]));
    }

    #[test]
    fn different_names_do_not_clash() {
        assert!(!share_a_name(&[PLACED], &[EventType { name: "OrderPlacedX", aliases: &[] }]));
    }
}
