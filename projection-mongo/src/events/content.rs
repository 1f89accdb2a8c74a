//! Data that is no document: whether it is JSON, by its content type.

use bson::{RawBsonRef, RawDocument, spec::BinarySubtype};

/// The CloudEvents attribute that says what the data is.
const CONTENT_TYPE: &str = "datacontenttype";

/// The JSON in text or bytes; `None` where the content type says that they are something else, or they are neither.
pub(super) fn json<'a>(event: &RawDocument, data: RawBsonRef<'a>) -> Option<&'a [u8]> {
    let bytes = match data {
        RawBsonRef::String(text) => text.as_bytes(),
        RawBsonRef::Binary(binary) if binary.subtype == BinarySubtype::Generic => binary.bytes,
        _ => return None,
    };
    let content_type = event.get(CONTENT_TYPE).ok().flatten().and_then(RawBsonRef::as_str);
    content_type.is_none_or(is_json).then_some(bytes)
}

/// `application/json`, `text/json`, `application/vnd.shop+json`, with or without parameters.
fn is_json(content_type: &str) -> bool {
    let content_type = content_type.to_ascii_lowercase();
    let essence = content_type.split(';').next().unwrap_or_default().trim();
    essence.ends_with("/json") || essence.ends_with("+json")
}

#[cfg(test)]
mod tests {
    use bson::{Bson, doc};

    use super::*;

    #[test]
    fn text_and_bytes_are_json_unless_the_content_type_says_otherwise() {
        let bytes = Bson::Binary(bson::Binary { subtype: BinarySubtype::Generic, bytes: b"[1]".to_vec() });
        for (content_type, is_json) in [
            (None, true),
            (Some("application/json"), true),
            (Some("application/JSON; charset=utf-8"), true),
            (Some("application/vnd.shop.v1+json"), true),
            (Some("text/plain"), false),
            (Some("application/octet-stream"), false),
            (Some("text/plain; of=application/json"), false),
        ] {
            for data in ["[1]".into(), bytes.clone()] {
                let mut event = doc! { "data": data };
                event.extend(content_type.map(|text| (CONTENT_TYPE.to_owned(), text.into())));
                let event = bson::serialize_to_raw_document_buf(&event).unwrap();
                let found = json(&event, event.get("data").unwrap().unwrap());
                assert_eq!(found.is_some(), is_json, "{content_type:?}");
            }
        }
        let number = bson::serialize_to_raw_document_buf(&doc! { "data": 1 }).unwrap();
        assert!(json(&number, number.get("data").unwrap().unwrap()).is_none());
    }
}
