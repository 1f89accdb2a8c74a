use projection_core::Key;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Key)]
struct Route {
    from: String,
    to: String,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Key)]
struct Leg(String, i64);

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Key)]
struct Nothing;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Key)]
enum Airport {
    Jfk,
}

fn main() {}
