//! The sentence that an editor shows for each function of templates.

/// The result of a function and, where it reads something, what it may read; `None` for a name that
/// is no function.
///
/// A `must…` function without a sentence of its own is the plain one, except that it stops the
/// template at a fault.
#[must_use]
pub fn about(name: &str) -> Option<String> {
    let sentence = |name: &str| {
        let at = ABOUT.binary_search_by_key(&name, |(name, _)| *name).ok()?;
        Some(ABOUT[at].1)
    };
    if let Some(sentence) = sentence(name) {
        return Some(sentence.to_owned());
    }
    let rest = name.strip_prefix("must")?;
    let mut plain = rest.trim_start_matches('_').to_owned();
    plain.get_mut(..1)?.make_ascii_lowercase();
    let sentence = sentence(&plain)?;
    Some(format!("{sentence} A fault stops the template."))
}

/// The sentences, by name.
static ABOUT: &[(&str, &str)] = &[
    ("abbrev", "Cuts a text to a width and ends it with `...`."),
    (
        "abbrevboth",
        "Cuts a text at both ends: offset, width, text.",
    ),
    ("add", "Adds whole numbers."),
    ("add1", "Adds 1 to a whole number."),
    ("add1f", "Adds 1 to a number with decimals."),
    ("addf", "Adds numbers with decimals."),
    (
        "adler32sum",
        "The Adler-32 checksum of a text, in decimal digits.",
    ),
    ("ago", "The time since a time, as a duration."),
    ("all", "Whether no value is empty."),
    (
        "and",
        "The first empty value, else the last. What follows an empty one is not evaluated.",
    ),
    ("any", "Whether one value is not empty."),
    (
        "append",
        "A list with one more item at its end: list, item.",
    ),
    (
        "atoi",
        "A whole number from decimal digits; 0 where the text is none.",
    ),
    (
        "autoindent",
        "Indents the lines of a text as far as the template itself stands.",
    ),
    ("b32dec", "Decodes Base32."),
    ("b32enc", "Encodes a text in Base32."),
    ("b64dec", "Decodes Base64."),
    ("b64enc", "Encodes a text in Base64."),
    ("base", "The last part of a path."),
    ("base64dec", "Decodes Base64."),
    ("base64enc", "Encodes a text in Base64."),
    (
        "bcrypt",
        "The bcrypt hash of a text. Each evaluation gives another one.",
    ),
    ("biggest", "The largest of whole numbers."),
    (
        "buildCustomCert",
        "A certificate from a Base64 certificate and its key.",
    ),
    ("call", "Calls a function value with arguments."),
    ("camelcase", "Writes words as `CamelCase`."),
    ("cat", "Joins values with spaces."),
    ("ceil", "The next larger whole number."),
    ("chunk", "Cuts a list into lists of a size: size, list."),
    ("clean", "A path without `.`, `..` and doubled slashes."),
    ("coalesce", "The first value that is not empty."),
    ("compact", "A list without its empty items."),
    ("concat", "Joins lists to one."),
    ("contains", "Whether a text holds another: part, text."),
    (
        "copyConfigMapData",
        "All `data` of a ConfigMap as a mapping: namespace, name. Reads the hub \
     in hub templates, else the cluster.",
    ),
    (
        "copySecretData",
        "All `data` of a Secret as a mapping: namespace, name. Reads the hub in \
     hub templates, else the cluster.",
    ),
    ("date", "Writes a time by a layout: layout, time."),
    (
        "dateInZone",
        "Writes a time in a time zone: layout, time, zone.",
    ),
    ("dateModify", "Moves a time by a duration: duration, time."),
    (
        "date_in_zone",
        "Writes a time in a time zone: layout, time, zone.",
    ),
    ("date_modify", "Moves a time by a duration: duration, time."),
    (
        "decryptAES",
        "Decrypts what `encryptAES` wrote: password, text.",
    ),
    ("deepCopy", "A copy of a value with all that is in it."),
    (
        "deepEqual",
        "Whether two values are equal, with all that is in them.",
    ),
    (
        "default",
        "The value, or the first argument where the value is empty.",
    ),
    (
        "derivePassword",
        "A password derived from a master password, a user and a site.",
    ),
    ("dict", "A mapping from keys and values in turn."),
    ("dig", "A value deep in a mapping: keys, default, mapping."),
    ("dir", "A path without its last part."),
    ("div", "Divides whole numbers and drops the rest."),
    ("divf", "Divides numbers with decimals."),
    ("duration", "Writes seconds as a duration."),
    ("durationRound", "A duration in its largest unit."),
    (
        "empty",
        "Whether a value is empty: false, 0, nil, or of no length.",
    ),
    ("encryptAES", "Encrypts a text: password, text."),
    (
        "env",
        "A variable of the environment. Controllers refuse it.",
    ),
    ("eq", "Whether the first value equals one of the others."),
    (
        "expandenv",
        "A text with variables of the environment. Controllers refuse it.",
    ),
    ("ext", "The extension of a path, with its dot."),
    ("fail", "Stops the template with a message."),
    ("first", "The first item of a list."),
    ("float64", "A number with decimals from a value."),
    ("floor", "The next smaller whole number."),
    (
        "fromClusterClaim",
        "The value of a ClusterClaim. Reads the hub's own claims in hub \
     templates, else the cluster's.",
    ),
    (
        "fromConfigMap",
        "A key of a ConfigMap: namespace, name, key. Reads the hub in hub \
     templates, else the cluster.",
    ),
    ("fromJSON", "The value that a JSON text holds."),
    ("fromJson", "The value that a JSON text holds."),
    (
        "fromSecret",
        "A key of a Secret, in Base64: namespace, name, key. Reads the hub in hub \
     templates, else the cluster.",
    ),
    ("fromYAML", "The value that a YAML text holds."),
    ("fromYaml", "The value that a YAML text holds."),
    ("fromYamlArray", "The list that a YAML text holds."),
    ("ge", "Whether the first value is at least the second."),
    ("genCA", "A new certificate authority: name, days."),
    (
        "genCAWithKey",
        "A certificate authority for a key: name, days, key.",
    ),
    (
        "genPrivateKey",
        "A new private key of a kind: `rsa`, `dsa`, `ecdsa` or `ed25519`.",
    ),
    (
        "genSelfSignedCert",
        "A new self-signed certificate: name, addresses, names, days.",
    ),
    (
        "genSelfSignedCertWithKey",
        "A self-signed certificate for a key: name, addresses, names, \
     days, key.",
    ),
    (
        "genSignedCert",
        "A new certificate signed by an authority: name, addresses, names, days, \
     authority.",
    ),
    (
        "genSignedCertWithKey",
        "A certificate for a key, signed by an authority: name, addresses, \
     names, days, authority, key.",
    ),
    (
        "get",
        "A value of a mapping, or an empty text: mapping, key.",
    ),
    (
        "getHostByName",
        "An address of a host name. Asks the resolver of names.",
    ),
    (
        "getNodesWithExactRoles",
        "The Nodes with exactly these roles. Reads the hub in hub \
     templates, else the cluster.",
    ),
    ("gt", "Whether the first value is greater than the second."),
    ("has", "Whether a list holds an item: item, list."),
    ("hasKey", "Whether a mapping has a key: mapping, key."),
    (
        "hasNodesWithExactRoles",
        "Whether a Node has exactly these roles. Reads the hub in hub \
     templates, else the cluster.",
    ),
    (
        "hasPrefix",
        "Whether a text begins with another: beginning, text.",
    ),
    ("hasSuffix", "Whether a text ends with another: end, text."),
    ("hello", "The text `Hello!`."),
    ("html", "Escapes a text for HTML."),
    ("htmlDate", "A time as a date field of HTML writes it."),
    (
        "htmlDateInZone",
        "A time in a zone as a date field of HTML writes it: time, zone.",
    ),
    ("htpasswd", "A line of an htpasswd file: user, password."),
    ("indent", "Indents each line of a text: width, text."),
    (
        "index",
        "An item of a list or a mapping: value, then keys or positions.",
    ),
    ("initial", "A list without its last item."),
    ("initials", "The first letter of each word."),
    ("int", "A whole number from a value."),
    ("int64", "A whole number of 64 bits from a value."),
    ("isAbs", "Whether a path begins at the root."),
    (
        "join",
        "Joins the items of a list to a text: separator, list.",
    ),
    ("js", "Escapes a text for JavaScript."),
    ("kebabcase", "Writes words as `kebab-case`."),
    ("keys", "The keys of mappings, in no certain order."),
    ("kindIs", "Whether a value is of a Go kind: kind, value."),
    ("kindOf", "The Go kind of a value."),
    ("last", "The last item of a list."),
    ("le", "Whether the first value is at most the second."),
    ("len", "The length of a text, a list or a mapping."),
    ("list", "A list of the arguments."),
    (
        "lookup",
        "An object: apiVersion, kind, namespace, name, label selectors. Reads the hub in \
     hub templates, else the cluster; empty where it does not exist.",
    ),
    (
        "lookupClusterClaim",
        "The value of a ClusterClaim, or an empty text. Reads the hub's own \
     claims in hub templates, else the cluster's.",
    ),
    ("lower", "A text in small letters."),
    ("lt", "Whether the first value is less than the second."),
    ("max", "The largest of whole numbers."),
    ("maxf", "The largest of numbers with decimals."),
    ("merge", "Merges mappings into the first, which wins."),
    (
        "mergeOverwrite",
        "Merges mappings into the first; the last one wins.",
    ),
    ("min", "The smallest of whole numbers."),
    ("minf", "The smallest of numbers with decimals."),
    ("mod", "The rest of a division."),
    ("mul", "Multiplies whole numbers."),
    ("mulf", "Multiplies numbers with decimals."),
    (
        "mustToDate",
        "A time from a text: layout, text. A fault stops the template.",
    ),
    ("ne", "Whether two values differ."),
    (
        "nindent",
        "A line break, and a text with each line indented: width, text.",
    ),
    (
        "normalize",
        "A text as a name of Kubernetes: small letters, digits, `-` and `.`.",
    ),
    ("nospace", "A text without white space."),
    ("not", "Whether a value is empty."),
    ("now", "The time of the evaluation."),
    ("omit", "A mapping without keys: mapping, keys."),
    (
        "or",
        "The first value that is not empty, else the last. What follows it is not evaluated.",
    ),
    ("osBase", "The last part of a path of the operating system."),
    (
        "osClean",
        "A path of the operating system without `.` and `..`.",
    ),
    (
        "osDir",
        "A path of the operating system without its last part.",
    ),
    ("osExt", "The extension of a path of the operating system."),
    (
        "osIsAbs",
        "Whether a path of the operating system begins at a root.",
    ),
    ("pick", "A mapping with these keys alone: mapping, keys."),
    ("pluck", "The values of a key in mappings: key, mappings."),
    ("plural", "One of two words by a number: one, many, number."),
    (
        "prepend",
        "A list with one more item at its beginning: list, item.",
    ),
    ("print", "Writes values as a text."),
    (
        "printf",
        "Writes values by a format of Go's: format, values.",
    ),
    (
        "println",
        "Writes values as a text, with spaces and a line break.",
    ),
    (
        "protect",
        "Encrypts a text so that only the cluster of the policy reads it. In hub \
     templates only.",
    ),
    ("push", "A list with one more item at its end: list, item."),
    ("quote", "A value in double quotes."),
    ("randAlpha", "Random letters: how many."),
    ("randAlphaNum", "Random letters and digits: how many."),
    ("randAscii", "Random printable characters: how many."),
    ("randBytes", "Random bytes in Base64: how many."),
    ("randInt", "A random whole number: least, less than."),
    ("randNumeric", "Random digits: how many."),
    (
        "regexFind",
        "The first match of a regular expression: expression, text.",
    ),
    (
        "regexFindAll",
        "Matches of a regular expression: expression, text, how many (-1 for all).",
    ),
    (
        "regexMatch",
        "Whether a text matches a regular expression: expression, text.",
    ),
    (
        "regexQuoteMeta",
        "A text as a regular expression that matches exactly it.",
    ),
    (
        "regexReplaceAll",
        "Replaces matches; `${1}` is a group: expression, text, replacement.",
    ),
    (
        "regexReplaceAllLiteral",
        "Replaces matches by a text as it stands: expression, text, \
     replacement.",
    ),
    (
        "regexSplit",
        "Splits a text at matches: expression, text, how many parts (-1 for all).",
    ),
    ("repeat", "Repeats a text: times, text."),
    (
        "replace",
        "Replaces a part of a text everywhere: old, new, text.",
    ),
    ("rest", "A list without its first item."),
    ("reverse", "A list from its end to its beginning."),
    ("round", "Rounds a number: number, digits."),
    ("semver", "The parts of a semantic version."),
    (
        "semverCompare",
        "Whether a version meets a constraint: constraint, version.",
    ),
    (
        "seq",
        "Whole numbers in a row, with spaces between: first, step, last.",
    ),
    (
        "set",
        "Sets a key of a mapping and gives the mapping: mapping, key, value.",
    ),
    (
        "sha1sum",
        "The SHA-1 digest of a text, in hexadecimal digits.",
    ),
    (
        "sha256sum",
        "The SHA-256 digest of a text, in hexadecimal digits.",
    ),
    (
        "sha512sum",
        "The SHA-512 digest of a text, in hexadecimal digits.",
    ),
    ("shuffle", "The characters of a text in random order."),
    (
        "skipObject",
        "Leaves the object of this turn out where its argument holds. In \
     `object-templates` only.",
    ),
    ("slice", "A part of a list: list, first, end."),
    (
        "slugify",
        "A text as a slug: length, whether to cut cleverly, text.",
    ),
    ("snakecase", "Writes words as `snake_case`."),
    ("sortAlpha", "A list as texts, sorted."),
    (
        "split",
        "Splits a text into a mapping with the keys `_0`, `_1` …: separator, text.",
    ),
    ("splitList", "Splits a text into a list: separator, text."),
    (
        "splitn",
        "Splits a text into a mapping of so many parts: separator, parts, text.",
    ),
    ("squote", "A value in single quotes."),
    ("sub", "Subtracts whole numbers."),
    ("subf", "Subtracts numbers with decimals."),
    ("substr", "A part of a text: first, end, text."),
    ("swapcase", "Swaps capital and small letters."),
    (
        "ternary",
        "One of two values: if true, if false, condition.",
    ),
    ("title", "A text with a capital letter at each word."),
    (
        "toBool",
        "A boolean from a text; the quotes around the action go.",
    ),
    ("toDate", "A time from a text: layout, text."),
    ("toDecimal", "A whole number from octal digits."),
    (
        "toInt",
        "A whole number from a value; the quotes around the action go.",
    ),
    ("toJSON", "A value as JSON."),
    ("toJson", "A value as JSON."),
    (
        "toLiteral",
        "A text as it stands in YAML; the quotes around the action go.",
    ),
    ("toPrettyJson", "A value as indented JSON."),
    ("toRawJSON", "A value as JSON, without escapes for HTML."),
    ("toRawJson", "A value as JSON, without escapes for HTML."),
    ("toString", "A value as a text."),
    ("toStrings", "A list as texts."),
    ("toYAML", "A value as YAML."),
    ("toYaml", "A value as YAML."),
    ("trim", "A text without white space at its ends."),
    (
        "trimAll",
        "A text without these characters at its ends: characters, text.",
    ),
    ("trimPrefix", "A text without a beginning: beginning, text."),
    ("trimSuffix", "A text without an end: end, text."),
    (
        "trimall",
        "A text without these characters at its ends: characters, text.",
    ),
    (
        "trunc",
        "Cuts a text; a negative length keeps its end: length, text.",
    ),
    ("tuple", "A list of the arguments."),
    ("typeIs", "Whether a value is of a Go type: type, value."),
    (
        "typeIsLike",
        "Whether a value is of a Go type or a pointer to it: type, value.",
    ),
    ("typeOf", "The Go type of a value."),
    ("uniq", "A list without repeated items."),
    ("unixEpoch", "The seconds from 1970 to a time."),
    (
        "unset",
        "Removes a key of a mapping and gives the mapping: mapping, key.",
    ),
    ("until", "The whole numbers from 0 to below a number."),
    ("untilStep", "Whole numbers in steps: first, below, step."),
    ("untitle", "A text with a small letter at each word."),
    ("upper", "A text in capital letters."),
    (
        "urlJoin",
        "An address from the parts that `urlParse` gives.",
    ),
    ("urlParse", "The parts of an address."),
    ("urlquery", "Escapes a text for the query of an address."),
    ("uuidv4", "A new random UUID."),
    ("values", "The values of a mapping, in no certain order."),
    ("without", "A list without items: list, items."),
    ("wrap", "Wraps a text at a width: width, text."),
    (
        "wrapWith",
        "Wraps a text with a line break of one's own: width, break, text.",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gotemplate::{BUILTIN, SPRIG};

    #[test]
    fn each_function_has_a_sentence() {
        assert!(ABOUT.is_sorted_by(|one, next| one.0 < next.0));
        for function in SPRIG.iter().chain(BUILTIN) {
            assert!(about(function.name).is_some(), "{}", function.name);
        }
        assert_eq!(about("nosuch"), None);
        assert_eq!(
            about("must_date_modify").as_deref(),
            Some("Moves a time by a duration: duration, time. A fault stops the template.")
        );
    }
}
