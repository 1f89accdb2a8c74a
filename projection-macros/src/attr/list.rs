//! Reading a list of options, `name = "x", singleton, index(a)`, going on after a mistake.

use proc_macro2::TokenStream;
use syn::{
    Ident, Token,
    ext::IdentExt as _,
    parse::{Parse, ParseStream, Parser as _},
};

use crate::{errors::Errors, suggest::nearest};

/// An option that an attribute has.
#[derive(Debug)]
pub(crate) struct Known {
    pub(crate) name: &'static str,
    /// How it is written.
    pub(crate) example: &'static str,
    /// Whether it may be given more than once.
    pub(crate) many: bool,
}

impl Known {
    pub(crate) const fn once(name: &'static str, example: &'static str) -> Self {
        Self { name, example, many: false }
    }

    pub(crate) const fn many(name: &'static str, example: &'static str) -> Self {
        Self { name, example, many: true }
    }
}

/// An attribute's options: what they are, and what is said of one that is not among them.
#[derive(Debug)]
pub(crate) struct List {
    /// The attribute, as in `#[projection]`.
    pub(crate) attribute: &'static str,
    pub(crate) known: &'static [Known],
    /// What to say of a name that is no option here but one elsewhere.
    pub(crate) elsewhere: fn(&str) -> Option<&'static str>,
}

impl List {
    /// Calls `read` for each option that is known and not doubled, with what follows its name.
    ///
    /// Answers the names that were given, also where their values were wrong.
    pub(crate) fn read(
        &self,
        tokens: TokenStream,
        errors: &mut Errors,
        mut read: impl FnMut(&Ident, ParseStream<'_>) -> syn::Result<()>,
    ) -> Given {
        let mut given = Given::default();
        let parser = |input: ParseStream<'_>| {
            while !input.is_empty() {
                if let Err(error) = self.read_one(input, &mut given, &mut read) {
                    errors.push(error);
                    skip_to_comma(input);
                }
                if !input.is_empty() && input.parse::<Token![,]>().is_err() {
                    errors.push(input.error("options are separated by `,`"));
                    skip_to_comma(input);
                    let _: Option<Token![,]> = input.parse().ok();
                }
            }
            Ok(())
        };
        // Every token was taken, and every mistake noted.
        let _: syn::Result<()> = parser.parse2(tokens);
        given
    }

    fn read_one(
        &self,
        input: ParseStream<'_>,
        given: &mut Given,
        read: &mut impl FnMut(&Ident, ParseStream<'_>) -> syn::Result<()>,
    ) -> syn::Result<()> {
        let name = input.call(Ident::parse_any).map_err(|error| {
            let examples: Vec<_> = self.known.iter().map(|known| format!("`{}`", known.example)).collect();
            syn::Error::new(
                error.span(),
                format!("no option of `{}`: it has {}", self.attribute, examples.join(", ")),
            )
        })?;
        let Some(known) = self.known.iter().find(|known| name == known.name) else {
            return Err(syn::Error::new(name.span(), self.unknown(&name.to_string(), given)));
        };
        if given.read.contains(&known.name) && !known.many {
            let message = format!("`{}` is given twice: keep one", known.name);
            return Err(syn::Error::new(name.span(), message));
        }
        given.read.push(known.name);
        read(&name, input).map_err(|error| {
            let what = error.to_string();
            // Where something is missing, there is no token to blame but the option's.
            let missing = what == MISSING || what.starts_with("unexpected end of input");
            let span = if missing { name.span() } else { error.span() };
            syn::Error::new(span, format!("{what}: write `{}`", known.example))
        })
    }

    fn unknown(&self, name: &str, given: &mut Given) -> String {
        let attribute = self.attribute;
        if let Some(elsewhere) = (self.elsewhere)(name) {
            return format!("`{attribute}` has no option `{name}`: {elsewhere}");
        }
        let near = nearest(name, self.known.iter().map(|known| known.name));
        match near.and_then(|near| self.known.iter().find(|known| known.name == near)) {
            Some(known) => {
                given.meant.push(known.name);
                format!("`{attribute}` has no option `{name}`: did you mean `{}`?", known.example)
            }
            None => {
                let names: Vec<_> = self.known.iter().map(|known| format!("`{}`", known.name)).collect();
                format!("`{attribute}` has no option `{name}`: it has {}", names.join(", "))
            }
        }
    }
}

/// The names of the options that were given, also where their values were wrong.
#[derive(Debug, Default)]
pub(crate) struct Given {
    read: Vec<&'static str>,
    /// Mistyped ones: they are not missing too.
    meant: Vec<&'static str>,
}

impl Given {
    pub(crate) fn has(&self, name: &str) -> bool {
        self.read.contains(&name) || self.meant.contains(&name)
    }
}

const MISSING: &str = "a value is missing";

/// The value after `=`.
pub(crate) fn value<T: Parse>(input: ParseStream<'_>) -> syn::Result<T> {
    input.parse::<Token![=]>().map_err(|error| syn::Error::new(error.span(), MISSING))?;
    input.parse()
}

fn skip_to_comma(input: ParseStream<'_>) {
    while !input.is_empty() && !input.peek(Token![,]) {
        let _: syn::Result<proc_macro2::TokenTree> = input.parse();
    }
}

#[cfg(test)]
mod tests {
    use quote::quote;
    use syn::LitInt;

    use super::*;

    const LIST: List = List {
        attribute: "#[x]",
        known: &[Known::once("size", "size = 1"), Known::many("also", "also = 1")],
        elsewhere: |name| (name == "key").then_some("it goes on `#[on]`"),
    };

    fn read(tokens: TokenStream) -> (Vec<String>, Vec<String>) {
        let (mut values, mut errors) = (Vec::new(), Errors::default());
        LIST.read(tokens, &mut errors, |name, input| {
            values.push(format!("{name}={}", value::<LitInt>(input)?));
            Ok(())
        });
        (values, errors.messages())
    }

    #[test]
    fn each_mistake_is_named_and_what_follows_it_is_read() {
        let (values, errors) = read(quote!(siez = 3, key = a.b(1, 2), size = "x", size = 4, also = 1, also = 2));
        assert_eq!(values, ["also=1", "also=2"]);
        assert_eq!(
            errors,
            [
                "`#[x]` has no option `siez`: did you mean `size = 1`?",
                "`#[x]` has no option `key`: it goes on `#[on]`",
                "expected integer literal: write `size = 1`",
                "`size` is given twice: keep one",
            ]
        );
    }

    #[test]
    fn what_is_no_option_at_all_is_told_what_there_is() {
        assert_eq!(read(quote!("x")).1, ["no option of `#[x]`: it has `size = 1`, `also = 1`"]);
        assert_eq!(read(quote!(size)).1, ["a value is missing: write `size = 1`"]);
        assert_eq!(read(quote!(size = 1 also = 2)).1, ["options are separated by `,`"]);
    }
}
