//! `Event`, `EventSet` and `Key`, derived and by hand.

use projection_core::{Event, EventSet, EventType, EventVisitor, Key, KeyMismatch, KeyRef};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Event)]
#[event(name = "Paid", aliases = ["Payed", "Settled"])]
struct Paid {
    cents: i64,
}

#[derive(Serialize, Deserialize)]
struct PaidByHand {
    cents: i64,
}

impl Event for PaidByHand {
    const NAME: &'static str = "Paid";
    const ALIASES: &'static [&'static str] = &["Payed", "Settled"];
}

#[test]
fn an_event_has_its_name_and_its_former_names() {
    assert_eq!((Paid::NAME, Paid::ALIASES), (PaidByHand::NAME, PaidByHand::ALIASES));
    assert_eq!(<Paid as EventSet>::TYPES, <PaidByHand as EventSet>::TYPES);
    assert_eq!((Paid { cents: 1 }.cents, PaidByHand { cents: 1 }.cents), (1, 1));
}

#[derive(Serialize, Deserialize, Event)]
#[event(name = "Refunded")]
struct Refunded;

#[derive(EventSet)]
enum Payment {
    Paid(Paid),
    Refunded(Refunded),
}

enum PaymentByHand {
    Paid(Paid),
    Refunded(Refunded),
}

impl EventSet for PaymentByHand {
    const TYPES: &'static [EventType] = &[EventType::of::<Paid>(), EventType::of::<Refunded>()];

    fn visit<V: EventVisitor<Self>>(visitor: &mut V) {
        visitor.event(Self::Paid);
        visitor.event(Self::Refunded);
    }
}

#[test]
fn a_set_names_each_event_and_wraps_it_in_its_variant() {
    struct Wrapped<Set>(Vec<(&'static str, Set)>);

    impl<Set> EventVisitor<Set> for Wrapped<Set> {
        fn event<E: Event>(&mut self, wrap: fn(E) -> Set) {
            let json = if E::NAME == "Paid" { r#"{"cents":7}"# } else { "null" };
            self.0.push((E::NAME, wrap(serde_json::from_str(json).unwrap())));
        }
    }

    let (mut derived, mut by_hand) = (Wrapped(Vec::new()), Wrapped(Vec::new()));
    Payment::visit(&mut derived);
    PaymentByHand::visit(&mut by_hand);
    assert!(matches!(
        derived.0[..],
        [("Paid", Payment::Paid(Paid { cents: 7 })), ("Refunded", Payment::Refunded(Refunded))]
    ));
    assert!(matches!(
        by_hand.0[..],
        [("Paid", PaymentByHand::Paid(Paid { cents: 7 })), ("Refunded", PaymentByHand::Refunded(Refunded))]
    ));
    assert_eq!(Payment::TYPES, PaymentByHand::TYPES);
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Key)]
struct Number(i64);

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Key)]
struct Named {
    number: Number,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct ByHand(i64);

impl Key for ByHand {
    fn as_key(&self) -> KeyRef<'_> {
        self.0.as_key()
    }

    fn from_key(key: KeyRef<'_>) -> Result<Self, KeyMismatch> {
        i64::from_key(key).map(Self)
    }
}

// spec: B32
#[test]
fn a_newtype_is_the_key_that_it_wraps() {
    let stored = KeyRef::Int(-7);
    assert_eq!(Number(-7).as_key(), stored);
    assert_eq!(Named { number: Number(-7) }.as_key(), stored);
    assert_eq!(ByHand(-7).as_key(), stored);
    assert_eq!(Number::from_key(stored), Ok(Number(-7)));
    assert_eq!(Named::from_key(stored), Ok(Named { number: Number(-7) }));
    assert_eq!(ByHand::from_key(stored), Ok(ByHand(-7)));
}

// spec: B32
#[test]
fn a_stored_key_of_another_kind_is_refused_with_what_was_expected() {
    let stored = KeyRef::Text("7");
    assert_eq!(Number::from_key(stored).unwrap_err(), ByHand::from_key(stored).unwrap_err());
    assert_eq!(Named::from_key(stored).unwrap_err(), ByHand::from_key(stored).unwrap_err());
}
