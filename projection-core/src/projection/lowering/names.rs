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
pub struct Events<A, B>(PhantomData<(A, B)>);

impl<A: EventSet, B: EventSet> Events<A, B> {
    /// Whether a name is in both.
    pub const SHARE_A_NAME: bool = share_a_name(A::TYPES, B::TYPES);
}

/// Stands in for [`Events`] where one of them is none.
pub trait NoEvents {
    /// No name is in both.
    const SHARE_A_NAME: bool = false;
}

impl<A, B> NoEvents for Events<A, B> {}

/// Two handlers' types.
#[derive(Debug)]
pub struct Types<A, B>(PhantomData<(A, B)>);

impl<A> Types<A, A> {
    /// They are one type, whatever paths they were written with.
    pub const EQUAL: bool = true;
}

/// Stands in for [`Types`] where they are two.
pub trait OtherTypes {
    /// They are two types.
    const EQUAL: bool = false;
}

impl<A, B> OtherTypes for Types<A, B> {}

/// Whether the type at `index`, if it has a name, has one of a type before it.
#[must_use]
pub const fn repeats_a_name(types: &[EventType], index: usize) -> bool {
    let (before, from) = types.split_at(index);
    let (this, _) = from.split_at(1);
    !this[0].name.is_empty() && share_a_name(before, this)
}
