//! The functions of Argo CD's Go templates.

use crate::gotemplate::{Functions, Type, row};

use Type::{Any, List, Text};

/// Functions of Sprig that Argo CD removes.
const REMOVED: [&str; 3] = ["env", "expandenv", "getHostByName"];

/// The functions that templates of an ApplicationSet may call.
pub(super) const APPLICATION_SET: Functions = Functions {
    own: &[
        row("fromYamlArray", &[Text], None, List),
        row("normalize", &[Text], None, Text),
        row("slugify", &[], Some(Any), Text),
    ],
    // The others are names that the policy resolver has beside those of Sprig.
    without: &[
        "env",
        "expandenv",
        "getHostByName",
        "fromJSON",
        "fromYAML",
        "mustFromJSON",
        "mustToJSON",
        "mustToRawJSON",
        "toJSON",
        "toRawJSON",
        "toYAML",
    ],
};

/// Whether Argo CD removes the function.
#[must_use]
pub(super) fn is_removed(word: &str) -> bool {
    REMOVED.contains(&word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn argo_cd_adds_and_removes_functions() {
        let known = |name: &str| APPLICATION_SET.find(name).is_some();
        assert!(
            ["toYaml", "printf", "slugify", "fromYamlArray"]
                .into_iter()
                .all(known)
        );
        assert!(!["env", "lookup", "name", "toYAML"].into_iter().any(known));
        assert!(
            REMOVED
                .iter()
                .all(|name| APPLICATION_SET.without.contains(name))
        );
    }
}
