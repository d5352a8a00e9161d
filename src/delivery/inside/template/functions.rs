//! The functions of each level, with those of the policy resolver.

use super::Level;
use crate::gotemplate::{Function, SPRIG, Type, builtin, sprig};
use crate::kit::nearest::{did_you_mean, nearest};

use Type::{Any, Bool, Int, Map, Text};

/// A function that a level has.
pub(super) fn find(level: Level<'_>, name: &str) -> Option<&'static Function> {
    let general = || sprig(name).or_else(|| builtin(name));
    let own = || OWN.iter().find(|function| function.name == name);
    match level {
        Level::Message => general(),
        _ if name == SKIP.name => matches!(level, Level::Managed).then_some(&SKIP),
        _ => own().or_else(general),
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

/// What to write instead of a function that there is not.
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

const fn f(
    name: &'static str,
    parameters: &'static [Type],
    rest: Option<Type>,
    result: Type,
) -> Function {
    Function::new(name, parameters, rest, result)
}

/// Leaves an object out; only where objects are made.
static SKIP: Function = f("skipObject", &[], Some(Any), Any).at_most(1);

/// The functions of the policy resolver.
static OWN: &[Function] = &[
    f("autoindent", &[Text], None, Text),
    f("base64dec", &[Text], None, Text),
    f("base64enc", &[Text], None, Text),
    f("copyConfigMapData", &[Text, Text], None, Text),
    f("copySecretData", &[Text, Text], None, Text),
    f("fromClusterClaim", &[Text], None, Text),
    f("fromConfigMap", &[Text, Text, Text], None, Text),
    f("fromSecret", &[Text, Text, Text], None, Text),
    f("getNodesWithExactRoles", &[], Some(Text), Map),
    f("hasNodesWithExactRoles", &[], Some(Text), Bool),
    f("lookup", &[Text, Text, Text, Text], Some(Text), Map),
    f("lookupClusterClaim", &[Text], None, Text),
    f("protect", &[Text], None, Text),
    f("toBool", &[Text], None, Bool),
    f("toInt", &[Any], None, Int),
    f("toLiteral", &[Text], None, Text),
];
