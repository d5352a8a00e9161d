//! The functions of each level, with those of the policy resolver.

use crate::delivery::policy::inside::template::Level;
use crate::gotemplate::{BUILTIN, Function, Functions, SPRIG, Type, row};
use crate::kit::nearest::{did_you_mean, nearest};

use Type::{Any, Bool, Int, Map, Text};

/// A function that a level has.
pub(super) fn find(level: Level<'_>, name: &str) -> Option<&'static Function> {
    match level {
        Level::Message => Functions::GENERAL.find(name),
        _ if name == SKIP.name => matches!(level, Level::Managed).then_some(&SKIP),
        _ => RESOLVER.find(name),
    }
}

/// Why a function fails wherever it is called at a level.
pub(super) fn always_fails(level: Level<'_>, name: &str) -> Option<(&'static str, &'static str)> {
    match name {
        "env" | "expandenv" if !matches!(level, Level::Message) => Some((
            "always fails: no policy may read the environment",
            "write the value itself, or read it from a ConfigMap",
        )),
        "protect" if !matches!(level, Level::Hub(_)) => Some((
            "always fails here: only the hub encrypts",
            "write it in a hub template: `{{hub … | protect hub}}`",
        )),
        _ => None,
    }
}

/// The function to write instead of an unknown one.
pub(super) fn advice(level: Level<'_>, name: &str) -> String {
    if name == "hub" && !matches!(level, Level::Hub(_)) {
        return "a hub template is written `{{hub … hub}}`, without a space".to_owned();
    }
    if matches!(name, "include" | "tpl" | "required") {
        return "Helm's own functions do not exist in policies".to_owned();
    }
    if OWN.iter().any(|function| function.name == name) {
        return "a message has the functions of Sprig and of Go alone".to_owned();
    }
    let names = || SPRIG.iter().chain(OWN).map(|function| function.name);
    let same =
        names().find(|other| other.eq_ignore_ascii_case(name) && find(level, other).is_some());
    match same.or_else(|| nearest(name, names())) {
        Some(near) => did_you_mean(near),
        None => {
            "templates have the functions of Go, of Sprig and of the policy resolver".to_owned()
        }
    }
}

/// The functions of templates in policies: the resolver's own, Sprig's and Go's.
pub(crate) fn all() -> impl Iterator<Item = &'static Function> {
    let general = SPRIG.iter().chain(BUILTIN).filter(|function| {
        let own = RESOLVER.find(function.name);
        own.is_some_and(|own| std::ptr::eq(own, *function))
    });
    OWN.iter().chain(general)
}

/// The functions of the policy resolver.
const RESOLVER: Functions = Functions {
    own: OWN,
    without: &[],
};

/// Leaves an object out; only where objects are made.
static SKIP: Function = row("skipObject", &[], Some(Any), Any).at_most(1);

/// The functions of the policy resolver.
static OWN: &[Function] = &[
    row("autoindent", &[Text], None, Text),
    row("base64dec", &[Text], None, Text),
    row("base64enc", &[Text], None, Text),
    row("copyConfigMapData", &[Text, Text], None, Text),
    row("copySecretData", &[Text, Text], None, Text),
    row("fromClusterClaim", &[Text], None, Text),
    row("fromConfigMap", &[Text, Text, Text], None, Text),
    row("fromSecret", &[Text, Text, Text], None, Text),
    row("getNodesWithExactRoles", &[], Some(Text), Map),
    row("hasNodesWithExactRoles", &[], Some(Text), Bool),
    row("lookup", &[Text, Text, Text, Text], Some(Text), Map),
    row("lookupClusterClaim", &[Text], None, Text),
    row("protect", &[Text], None, Text),
    row("toBool", &[Text], None, Bool),
    row("toInt", &[Any], None, Int),
    row("toLiteral", &[Text], None, Text),
];
