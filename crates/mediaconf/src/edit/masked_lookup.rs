//! A configuration of which only masks of the secrets are seen, in values and in names.

use std::borrow::Cow;

use serde_json::Value;

use super::config_lookup::{ConfigLookup, ValueKind};
use super::schema_path::Place;
use crate::model::Masker;
use crate::model::redact::{masked_below, masked_keys};
use crate::model::secret::{Secrecy, holds_mask};

/// A configuration whose values and names are returned with their secrets masked, if there is a masker. A name with a
/// secret is found by its masked form alone: nobody can try out here what the secret is.
pub struct MaskedLookup<'c> {
    /// The configuration.
    pub current: &'c dyn ConfigLookup,
    /// Masks the secrets; `None` shows them.
    pub masker: Option<&'c Masker>,
}

impl MaskedLookup<'_> {
    /// Calls `look` with the keys that the configuration itself has; `None` if it has none that are shown so.
    fn look<T>(&self, keys: &[&str], look: impl FnOnce(&[&str], Option<&Masker>) -> Option<T>) -> Option<T> {
        let Some(masker) = self.masker else { return look(keys, None) };
        let mut own: Vec<Cow<'_, str>> = Vec::with_capacity(keys.len());
        for key in keys {
            let above: Vec<&str> = own.iter().map(|key| &**key).collect();
            let is_shown_so = |name: &str| name == *key || self.shown(&above, name, masker) == *key;
            let found = match holds_mask(key) {
                true => Cow::Owned(self.current.names(&above).into_iter().find(|name| is_shown_so(name))?),
                false if self.shown(&above, key, masker) == *key => Cow::Borrowed(*key),
                false => return None,
            };
            own.push(found);
        }
        let own: Vec<&str> = own.iter().map(|key| &**key).collect();
        look(&own, Some(masker))
    }

    /// The name of a member of the object at `above`, with the secrets in it masked.
    fn shown<'n>(&self, above: &[&str], name: &'n str, masker: &Masker) -> Cow<'n, str> {
        let keys = [above, &[name]].concat();
        match masked_keys(&keys, masker).pop().filter(|shown| shown != name) {
            Some(shown) => Cow::Owned(shown),
            // Behind an option that is the name of a secret, and has no value, the names are secrets.
            None if self.may_be_option(&keys) && self.is_masked_beside_others(above, name, masker) => {
                masker.word(name, Secrecy::Whole)
            }
            None => Cow::Borrowed(name),
        }
    }

    /// True if the keys lead to what no table of directives knows.
    fn may_be_option(&self, keys: &[&str]) -> bool {
        let place = keys.iter().try_fold(Place::Root, |place, key| place.member(key));
        keys.len() > 2 && !place.is_ok_and(|place| !place.is_foreign() && !matches!(place, Place::Text))
    }

    fn is_masked_beside_others(&self, above: &[&str], name: &str, masker: &Masker) -> bool {
        let Some(Value::Object(members)) = self.current.value(above) else { return false };
        let is_there = members.contains_key(name);
        is_there && masked_below(above, &Value::Object(members), masker).get(name).is_none()
    }
}

impl ConfigLookup for MaskedLookup<'_> {
    fn value(&self, keys: &[&str]) -> Option<Value> {
        self.look(keys, |own, masker| {
            let value = self.current.value(own)?;
            Some(match masker {
                Some(masker) => masked_below(own, &value, masker),
                None => value,
            })
        })
    }

    fn names(&self, keys: &[&str]) -> Vec<String> {
        let names = self.look(keys, |own, masker| {
            let names = self.current.names(own);
            let Some(masker) = masker else { return Some(names) };
            Some(names.iter().map(|name| self.shown(own, name, masker).into_owned()).collect())
        });
        names.unwrap_or_default()
    }

    fn contains(&self, keys: &[&str]) -> bool {
        self.look(keys, |own, _| self.current.contains(own).then_some(())).is_some()
    }

    fn kind(&self, keys: &[&str]) -> Option<ValueKind> {
        self.look(keys, |own, _| self.current.kind(own))
    }
}

#[cfg(test)]
mod tests {
    use super::super::path::Path;
    use super::super::select::select;
    use super::*;
    use crate::model::Config;
    use crate::syntax::Document;

    const TEXT: &str = "stream a?token=S50 { url udp://1:1; title x; }\nlive rtsp://u:S53@h { title y; }\n\
                        stream z { url udp://2:1; auth http://h password S52 x=1; }\n";

    #[test]
    fn names_are_masked_and_no_secret_can_be_tried_out() {
        let document = Document::parse(TEXT.to_owned());
        let config = Config::new(&document);
        let (current, masker) = (config.lookup(), Masker::opaque());
        let shown = MaskedLookup { current: &current, masker: Some(&masker) };
        let read = |path: &str| {
            select(&shown, &Path::parse(path).expect(path)).map(|found| found.into_value().to_string())
        };
        for path in
            ["*.*", "streams.*", "streams.*.title", "*.*.*.*.*", "streams.z.auth.extra.*", "lives.*.title"]
        {
            let found = read(path).expect(path);
            assert!(!found.contains("S5"), "{path}: {found}");
        }
        assert!(read("streams.*.title").expect("titles").contains(r#"title":"x""#));
        for guess in [
            r#"streams."a?token=S50".title"#,
            "streams.*S50.title",
            "lives.*S5*.title",
            "streams.z.auth.extra.S52",
        ] {
            read(guess).expect_err(guess);
        }
    }
}
