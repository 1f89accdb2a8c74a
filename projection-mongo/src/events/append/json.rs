//! JSON as BSON: each number in the type that holds it exactly, the fields in their order.

use std::{borrow::Cow, fmt};

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};

use crate::writer::Writer;

/// A document with one field, `data`, that holds what the JSON says.
pub(super) fn to_bson(json: &[u8]) -> Result<Vec<u8>, serde_json::Error> {
    let mut writer = Writer::with_capacity(json.len() + 64);
    let mut from = serde_json::Deserializer::from_slice(json);
    Put { writer: &mut writer, name: "data" }.deserialize(&mut from)?;
    from.end()?;
    Ok(writer.finish())
}

/// Writes one value under a name.
struct Put<'w> {
    writer: &'w mut Writer,
    name: &'w str,
}

impl<'de> DeserializeSeed<'de> for Put<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Put<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<(), E> {
        self.writer.bool(self.name, value);
        Ok(())
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<(), E> {
        self.writer.i64(self.name, value);
        Ok(())
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<(), E> {
        let int = i64::try_from(value).map_err(|_| {
            E::custom(format_args!("{value} is past {}, the largest whole number that MongoDB stores", i64::MAX))
        })?;
        self.visit_i64(int)
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<(), E> {
        self.writer.f64(self.name, value);
        Ok(())
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<(), E> {
        self.writer.str(self.name, value);
        Ok(())
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        self.writer.null(self.name);
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        let open = self.writer.open_array(self.name);
        for index in 0_usize.. {
            let name = index.to_string();
            if list.next_element_seed(Put { writer: &mut *self.writer, name: &name })?.is_none() {
                break;
            }
        }
        self.writer.close(open);
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let open = self.writer.open_document(self.name);
        while let Some(name) = map.next_key::<Cow<'de, str>>()? {
            if name.contains('\0') {
                return Err(A::Error::custom(format_args!("the field {name:?} has a zero byte in its name")));
            }
            map.next_value_seed(Put { writer: &mut *self.writer, name: &name })?;
        }
        self.writer.close(open);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use bson::{Bson, Document, RawDocumentBuf, doc};
    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;
    use crate::decode;

    fn stored(json: &str) -> Bson {
        let document = RawDocumentBuf::from_bytes(to_bson(json.as_bytes()).unwrap()).unwrap();
        Document::try_from(document).unwrap().remove("data").unwrap()
    }

    #[test]
    fn each_number_has_the_type_that_holds_it() {
        let json = r#"{"a.b":[1,-1,1.0,9223372036854775807,0.1,1e300],"$c":{"":null},"t":"\u0000x","b":true}"#;
        let expected = doc! {
            "a.b": [1_i64, -1_i64, 1.0, i64::MAX, 0.1, 1e300], "$c": { "": Bson::Null }, "t": "\0x", "b": true,
        };
        assert_eq!(stored(json), Bson::Document(expected));
        assert_eq!(stored("7"), Bson::Int64(7));
        assert_eq!(stored(" null "), Bson::Null);
    }

    #[test]
    fn what_cannot_be_stored_is_refused_with_the_value() {
        let refused = |json: &str| to_bson(json.as_bytes()).unwrap_err().to_string();
        assert!(refused("[9223372036854775808]").starts_with("9223372036854775808 is past 9223372036854775807"));
        assert!(refused(r#"{"a\u0000":1}"#).contains(r#"the field "a\0" has a zero byte"#));
        assert!(to_bson(b"{").is_err());
        assert!(to_bson(b"{} {}").is_err());
        assert!(to_bson(b"").is_err());
    }

    fn json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<f64>().prop_filter("finite", |f| f.is_finite()).prop_map(Value::from),
            "[^\0]{0,6}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 32, 5, |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
                proptest::collection::btree_map("[^\0]{0,4}", inner, 0..5)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn what_was_stored_is_decoded_as_it_was(value in json()) {
            let bytes = to_bson(value.to_string().as_bytes()).unwrap();
            let document = RawDocumentBuf::from_bytes(bytes).unwrap();
            let decoded: Value = decode::from_value(document.get("data").unwrap().unwrap()).unwrap();
            prop_assert_eq!(decoded, value);
        }
    }
}
