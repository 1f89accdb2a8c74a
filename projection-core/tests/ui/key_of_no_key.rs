use projection_core::Key;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Key)]
struct Count(u64);

fn main() {}
