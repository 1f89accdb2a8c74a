//! Event names, asked for by the constants that `#[projection]` and `#[derive(EventSet)]` leave to the compiler.
//!
//! A type that is no event is reported where it is handled; here, what it would answer is passed over. So each question
//! is a constant of a pair of types where it can be answered, and of a trait that stands in where it cannot.

use std::marker::PhantomData;

use crate::{Event, EventSet, EventType, event::share_a_name};

/// One variant's event.
#[derive(Debug)]
pub struct OneEvent<E>(PhantomData<E>);

impl<E: Event> OneEvent<E> {
    /// Its names.
    pub const TYPE: EventType = EventType::of::<E>();
}

/// Stands in for [`OneEvent`] where it is none.
pub trait NoEvent {
    /// No name.
    const TYPE: EventType = EventType { name: "", aliases: &[] };
}

impl<E> NoEvent for OneEvent<E> {}

/// Two handlers' events.
#[derive(Debug)]
pub struct Two<A, B>(PhantomData<(A, B)>);

impl<A: EventSet, B: EventSet> Two<A, B> {
    /// Whether a name is in both.
    pub const SHARE_A_NAME: bool = share_a_name(A::TYPES, B::TYPES);
}

/// Stands in for [`Two`] where one of them is no event.
pub trait NoEvents {
    /// No name is in both.
    const SHARE_A_NAME: bool = false;
}

impl<A, B> NoEvents for Two<A, B> {}

impl<A> Two<A, A> {
    /// They are one type, whatever paths they were written with.
    pub const ARE_ONE: bool = true;
}

/// Stands in for [`Two`] where they are different.
pub trait NotOne {
    /// They are two types.
    const ARE_ONE: bool = false;
}

impl<A, B> NotOne for Two<A, B> {}

/// Whether the type at `index`, if it has a name, has one of a type before it.
#[must_use]
pub const fn repeats_a_name(types: &[EventType], index: usize) -> bool {
    let (before, from) = types.split_at(index);
    let (this, _) = from.split_at(1);
    !this[0].name.is_empty() && share_a_name(before, this)
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Deserialize)]
    struct Placed;

    impl Event for Placed {
        const NAME: &'static str = "Placed";
    }

    #[derive(Deserialize)]
    struct Created;

    impl Event for Created {
        const NAME: &'static str = "Created";
        const ALIASES: &'static [&'static str] = &["Placed"];
    }

    struct NoEventAtAll;

    #[test]
    fn two_events_share_a_name_or_are_one() {
        const { assert!(Two::<Placed, Created>::SHARE_A_NAME && !Two::<Placed, Created>::ARE_ONE) }
        const { assert!(Two::<Placed, Placed>::SHARE_A_NAME && Two::<Placed, self::Placed>::ARE_ONE) }
    }

    #[test]
    fn what_is_no_event_has_no_names() {
        const { assert!(!Two::<Placed, NoEventAtAll>::SHARE_A_NAME) }
        assert_eq!(OneEvent::<NoEventAtAll>::TYPE.name, "");
        assert_eq!(OneEvent::<Created>::TYPE, EventType::of::<Created>());
    }

    #[test]
    fn a_name_is_repeated_by_a_later_type_only() {
        let types = [EventType::of::<Placed>(), OneEvent::<NoEventAtAll>::TYPE, EventType::of::<Created>()];
        assert!(!repeats_a_name(&types, 0));
        assert!(!repeats_a_name(&types, 1));
        assert!(repeats_a_name(&types, 2));
        assert!(!repeats_a_name(&[OneEvent::<()>::TYPE, OneEvent::<u8>::TYPE], 1), "two that have none");
    }
}
