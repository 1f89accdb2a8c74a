use projection_core::Key;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Key)]
struct Id<T>(T);

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Key)]
#[key(name = "x")]
struct OrderId(String);

fn main() {}
