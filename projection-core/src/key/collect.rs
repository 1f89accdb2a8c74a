//! What a key expression may yield: one key, an `Option`, or anything iterable, of `K` or `&K`.
//!
//! Nothing here asks for a `Key`: a projection does, and one that is none is reported there, once.

/// The instances one event changes, as a key function names them. Doubles are harmless: one call is made for each
/// (event, instance) (spec: B3).
#[derive(Debug)]
pub struct Keys<K>(Vec<K>);

impl<K> Keys<K> {
    /// No instance yet.
    #[must_use]
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// The event changes the instance `key`.
    pub fn push(&mut self, key: K) {
        self.0.push(key);
    }

    /// The event changes all of `keys`: one key, an `Option`, or anything iterable, of `K` or `&K`.
    pub fn add<How>(&mut self, keys: impl IntoKeys<K, How>) {
        keys.into_keys(self);
    }

    /// Takes the keys out, in the order they were named, and leaves room for the next event's.
    pub fn drain(&mut self) -> impl Iterator<Item = K> {
        self.0.drain(..)
    }
}

impl<K> Default for Keys<K> {
    fn default() -> Self {
        Self::new()
    }
}

/// One key: a `K`, or a `&K` that is cloned.
#[diagnostic::on_unimplemented(
    message = "this yields `{Self}`, but the projection's `id` is `{K}`",
    label = "expected `{K}` or `&{K}`",
    note = "a key expression yields one key, an `Option`, or anything iterable, of `{K}` or `&{K}`"
)]
pub trait IntoKey<K> {
    /// The key itself.
    fn into_key(self) -> K;
}

#[diagnostic::do_not_recommend]
impl<K> IntoKey<K> for K {
    fn into_key(self) -> K {
        self
    }
}

#[diagnostic::do_not_recommend]
impl<K: Clone> IntoKey<K> for &K {
    fn into_key(self) -> K {
        self.clone()
    }
}

/// What a key expression may yield. `How` is found by the compiler and says whether it is one key or many.
#[diagnostic::on_unimplemented(
    message = "this yields `{Self}`, but the projection's `id` is `{K}`",
    label = "expected one or more of `{K}`",
    note = "a key expression yields one key, an `Option`, or anything iterable, of `{K}` or `&{K}`"
)]
pub trait IntoKeys<K, How> {
    /// Adds what the expression yielded.
    fn into_keys(self, keys: &mut Keys<K>);
}

#[doc(hidden)]
#[derive(Debug)]
pub enum One {}

#[doc(hidden)]
#[derive(Debug)]
pub enum Many {}

#[diagnostic::do_not_recommend]
impl<K, T: IntoKey<K>> IntoKeys<K, One> for T {
    fn into_keys(self, keys: &mut Keys<K>) {
        keys.push(self.into_key());
    }
}

#[diagnostic::do_not_recommend]
impl<K, I: IntoIterator<Item: IntoKey<K>>> IntoKeys<K, Many> for I {
    fn into_keys(self, keys: &mut Keys<K>) {
        for key in self {
            keys.push(key.into_key());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn collected<How>(from: impl IntoKeys<String, How>) -> Vec<String> {
        let mut keys = Keys::new();
        keys.add(from);
        keys.drain().collect()
    }

    #[test]
    fn one_an_option_or_many_owned_or_borrowed_are_keys() {
        let a = "a".to_owned();
        assert_eq!(collected(a.clone()), ["a"]);
        assert_eq!(collected(&a), ["a"]);
        assert_eq!(collected(Some(&a)), ["a"]);
        assert_eq!(collected(Some(a.clone()).as_ref()), ["a"]);
        assert!(collected(None::<String>).is_empty());
        assert_eq!(collected([&a, &a]), ["a", "a"]);
        assert_eq!(collected([a.clone()].iter()), ["a"]);
    }

    #[test]
    fn bytes_are_one_key_though_they_can_be_iterated() {
        let mut keys = Keys::<Vec<u8>>::new();
        keys.add(vec![1_u8, 2]);
        let borrowed = vec![3_u8];
        keys.add(&borrowed);
        assert_eq!(keys.drain().collect::<Vec<_>>(), [vec![1, 2], vec![3]]);
    }
}
