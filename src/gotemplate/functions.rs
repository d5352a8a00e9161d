//! The functions of templates with their types: Go's own and those of Sprig.

use std::fmt;
use std::sync::OnceLock;

use rustc_hash::FxHashMap;

use Type::{
    Any, Bool, Certificate, Float, Int, Int64, Ints, List, Lists, Map, Text, TextMap, Texts, Time,
    Uint, Version,
};

/// A type of Go's, as far as functions take or give it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Type {
    /// Anything.
    Any,
    /// `string`.
    Text,
    /// `bool`.
    Bool,
    /// `int`.
    Int,
    /// `int64`.
    Int64,
    /// `uint32`.
    Uint,
    /// `float64`.
    Float,
    /// A list of anything.
    List,
    /// A list of lists.
    Lists,
    /// A list of texts.
    Texts,
    /// A list of whole numbers.
    Ints,
    /// A mapping.
    Map,
    /// A mapping of texts.
    TextMap,
    /// A time.
    Time,
    /// A certificate.
    Certificate,
    /// A parsed version.
    Version,
}

impl Type {
    /// Whether a value of the type may be nil.
    pub(super) fn takes_nil(self) -> bool {
        matches!(
            self,
            Any | List | Lists | Texts | Ints | Map | TextMap | Version
        )
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Any => "any",
            Text => "string",
            Bool => "bool",
            Int => "int",
            Int64 => "int64",
            Uint => "uint32",
            Float => "float64",
            List => "[]any",
            Lists => "[][]any",
            Texts => "[]string",
            Ints => "[]int",
            Map => "map[string]any",
            TextMap => "map[string]string",
            Time => "time.Time",
            Certificate => "certificate",
            Version => "version",
        })
    }
}

/// A function of templates.
#[derive(Debug)]
pub struct Function {
    /// Its name.
    pub name: &'static str,
    /// The types of the arguments that it needs.
    pub parameters: &'static [Type],
    /// The type of the arguments that may follow.
    pub rest: Option<Type>,
    /// How many arguments it takes in all.
    pub most: usize,
    /// The type of its result.
    pub result: Type,
}

/// A row of a table of functions.
#[must_use]
pub const fn row(
    name: &'static str,
    parameters: &'static [Type],
    rest: Option<Type>,
    result: Type,
) -> Function {
    Function {
        name,
        parameters,
        most: match rest {
            Some(_) => usize::MAX,
            None => parameters.len(),
        },
        rest,
        result,
    }
}

impl Function {
    /// The call to write instead of one that fails; without a function, nothing may be called.
    #[must_use]
    pub fn advice(called: Option<&Self>) -> String {
        match called {
            Some(function) => {
                format!("its form is `{function}`; a piped value is the last argument")
            }
            None => "remove what follows it".to_owned(),
        }
    }

    /// The same function with at most this many arguments.
    #[must_use]
    pub const fn at_most(self, most: usize) -> Self {
        Self { most, ..self }
    }

    /// The type of the argument at a position, counted from 0; `None` where there is none.
    #[must_use]
    pub fn parameter(&self, at: usize) -> Option<Type> {
        self.parameters.get(at).copied().or(self.rest)
    }
}

impl fmt::Display for Function {
    /// `lookup(string, ...string) string`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}(", self.name)?;
        let mut separator = "";
        for parameter in self.parameters {
            write!(f, "{separator}{parameter}")?;
            separator = ", ";
        }
        if let Some(rest) = self.rest {
            write!(f, "{separator}...{rest}")?;
        }
        write!(f, ") {}", self.result)
    }
}

/// The functions that a resolver knows: its own, then Sprig's, then those of every template of
/// Go's.
#[derive(Debug, Clone, Copy)]
pub struct Functions {
    /// Its own.
    pub own: &'static [Function],
    /// The names of the others that it does not have.
    pub without: &'static [&'static str],
}

impl Functions {
    /// The functions of Go templates and Sprig.
    pub const GENERAL: Self = Self {
        own: &[],
        without: &[],
    };

    /// A function by its name.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<&'static Function> {
        static SPRIG_BY_NAME: OnceLock<FxHashMap<&str, &Function>> = OnceLock::new();
        let sprig = SPRIG_BY_NAME.get_or_init(|| SPRIG.iter().map(|one| (one.name, one)).collect());
        let own = self.own.iter().find(|function| function.name == name);
        let general = || {
            let builtin = || BUILTIN.iter().find(|function| function.name == name);
            let found = sprig.get(name).copied().or_else(builtin);
            found.filter(|_| !self.without.contains(&name))
        };
        own.or_else(general)
    }
}

/// The functions of every template of Go.
pub static BUILTIN: &[Function] = &[
    row("and", &[Any], Some(Any), Any),
    row("call", &[Any], Some(Any), Any),
    row("eq", &[Any, Any], Some(Any), Bool),
    row("ge", &[Any, Any], None, Bool),
    row("gt", &[Any, Any], None, Bool),
    row("html", &[], Some(Any), Text),
    row("index", &[Any], Some(Any), Any),
    row("js", &[], Some(Any), Text),
    row("le", &[Any, Any], None, Bool),
    row("len", &[Any], None, Int),
    row("lt", &[Any, Any], None, Bool),
    row("ne", &[Any, Any], None, Bool),
    row("not", &[Any], None, Bool),
    row("or", &[Any], Some(Any), Any),
    row("print", &[], Some(Any), Text),
    row("printf", &[Text], Some(Any), Text),
    row("println", &[], Some(Any), Text),
    row("slice", &[Any], Some(Any), Any),
    row("urlquery", &[], Some(Any), Text),
];

/// Sprig's functions, and those that resolvers commonly put beside them.
pub static SPRIG: &[Function] = &[
    row("abbrev", &[Int, Text], None, Text),
    row("abbrevboth", &[Int, Int, Text], None, Text),
    row("add", &[], Some(Any), Int64),
    row("add1", &[Any], None, Int64),
    row("add1f", &[Any], None, Float),
    row("addf", &[], Some(Any), Float),
    row("adler32sum", &[Text], None, Text),
    row("ago", &[Any], None, Text),
    row("all", &[], Some(Any), Bool),
    row("any", &[], Some(Any), Bool),
    row("append", &[Any, Any], None, List),
    row("atoi", &[Text], None, Int),
    row("b32dec", &[Text], None, Text),
    row("b32enc", &[Text], None, Text),
    row("b64dec", &[Text], None, Text),
    row("b64enc", &[Text], None, Text),
    row("base", &[Text], None, Text),
    row("bcrypt", &[Text], None, Text),
    row("biggest", &[Any], Some(Any), Int64),
    row("buildCustomCert", &[Text, Text], None, Certificate),
    row("camelcase", &[Text], None, Text),
    row("cat", &[], Some(Any), Text),
    row("ceil", &[Any], None, Float),
    row("chunk", &[Int, Any], None, Lists),
    row("clean", &[Text], None, Text),
    row("coalesce", &[], Some(Any), Any),
    row("compact", &[Any], None, List),
    row("concat", &[], Some(Any), Any),
    row("contains", &[Text, Text], None, Bool),
    row("date", &[Text, Any], None, Text),
    row("dateInZone", &[Text, Any, Text], None, Text),
    row("dateModify", &[Text, Time], None, Time),
    row("date_in_zone", &[Text, Any, Text], None, Text),
    row("date_modify", &[Text, Time], None, Time),
    row("decryptAES", &[Text, Text], None, Text),
    row("deepCopy", &[Any], None, Any),
    row("deepEqual", &[Any, Any], None, Bool),
    row("default", &[Any], Some(Any), Any),
    row(
        "derivePassword",
        &[Uint, Text, Text, Text, Text],
        None,
        Text,
    ),
    row("dict", &[], Some(Any), Map),
    row("dig", &[], Some(Any), Any),
    row("dir", &[Text], None, Text),
    row("div", &[Any, Any], None, Int64),
    row("divf", &[Any], Some(Any), Float),
    row("duration", &[Any], None, Text),
    row("durationRound", &[Any], None, Text),
    row("empty", &[Any], None, Bool),
    row("encryptAES", &[Text, Text], None, Text),
    row("env", &[], Some(Any), Any),
    row("expandenv", &[], Some(Any), Any),
    row("ext", &[Text], None, Text),
    row("fail", &[Text], None, Text),
    row("first", &[Any], None, Any),
    row("float64", &[Any], None, Float),
    row("floor", &[Any], None, Float),
    row("fromJSON", &[Text], None, Any),
    row("fromJson", &[Text], None, Any),
    row("fromYAML", &[Text], None, Any),
    row("fromYaml", &[Text], None, Any),
    row("genCA", &[Text, Int], None, Certificate),
    row("genCAWithKey", &[Text, Int, Text], None, Certificate),
    row("genPrivateKey", &[Text], None, Text),
    row(
        "genSelfSignedCert",
        &[Text, List, List, Int],
        None,
        Certificate,
    ),
    row(
        "genSelfSignedCertWithKey",
        &[Text, List, List, Int, Text],
        None,
        Certificate,
    ),
    row(
        "genSignedCert",
        &[Text, List, List, Int, Certificate],
        None,
        Certificate,
    ),
    row(
        "genSignedCertWithKey",
        &[Text, List, List, Int, Certificate, Text],
        None,
        Certificate,
    ),
    row("get", &[Map, Text], None, Any),
    row("getHostByName", &[Text], None, Text),
    row("has", &[Any, Any], None, Bool),
    row("hasKey", &[Map, Text], None, Bool),
    row("hasPrefix", &[Text, Text], None, Bool),
    row("hasSuffix", &[Text, Text], None, Bool),
    row("hello", &[], None, Text),
    row("htmlDate", &[Any], None, Text),
    row("htmlDateInZone", &[Any, Text], None, Text),
    row("htpasswd", &[Text, Text], None, Text),
    row("indent", &[Int, Text], None, Text),
    row("initial", &[Any], None, List),
    row("initials", &[Text], None, Text),
    row("int", &[Any], None, Int),
    row("int64", &[Any], None, Int64),
    row("isAbs", &[Text], None, Bool),
    row("join", &[Text, Any], None, Text),
    row("kebabcase", &[Text], None, Text),
    row("keys", &[], Some(Map), Texts),
    row("kindIs", &[Text, Any], None, Bool),
    row("kindOf", &[Any], None, Text),
    row("last", &[Any], None, Any),
    row("list", &[], Some(Any), List),
    row("lower", &[Text], None, Text),
    row("max", &[Any], Some(Any), Int64),
    row("maxf", &[Any], Some(Any), Float),
    row("merge", &[Map], Some(Map), Any),
    row("mergeOverwrite", &[Map], Some(Map), Any),
    row("min", &[Any], Some(Any), Int64),
    row("minf", &[Any], Some(Any), Float),
    row("mod", &[Any, Any], None, Int64),
    row("mul", &[Any], Some(Any), Int64),
    row("mulf", &[Any], Some(Any), Float),
    row("mustAppend", &[Any, Any], None, List),
    row("mustChunk", &[Int, Any], None, Lists),
    row("mustCompact", &[Any], None, List),
    row("mustDateModify", &[Text, Time], None, Time),
    row("mustDeepCopy", &[Any], None, Any),
    row("mustFirst", &[Any], None, Any),
    row("mustFromJSON", &[Text], None, Any),
    row("mustFromJson", &[Text], None, Any),
    row("mustHas", &[Any, Any], None, Bool),
    row("mustInitial", &[Any], None, List),
    row("mustLast", &[Any], None, Any),
    row("mustMerge", &[Map], Some(Map), Any),
    row("mustMergeOverwrite", &[Map], Some(Map), Any),
    row("mustPrepend", &[Any, Any], None, List),
    row("mustPush", &[Any, Any], None, List),
    row("mustRegexFind", &[Text, Text], None, Text),
    row("mustRegexFindAll", &[Text, Text, Int], None, Texts),
    row("mustRegexMatch", &[Text, Text], None, Bool),
    row("mustRegexReplaceAll", &[Text, Text, Text], None, Text),
    row(
        "mustRegexReplaceAllLiteral",
        &[Text, Text, Text],
        None,
        Text,
    ),
    row("mustRegexSplit", &[Text, Text, Int], None, Texts),
    row("mustRest", &[Any], None, List),
    row("mustReverse", &[Any], None, List),
    row("mustSlice", &[Any], Some(Any), Any),
    row("mustToDate", &[Text, Text], None, Time),
    row("mustToJSON", &[Any], None, Text),
    row("mustToJson", &[Any], None, Text),
    row("mustToPrettyJson", &[Any], None, Text),
    row("mustToRawJSON", &[Any], None, Text),
    row("mustToRawJson", &[Any], None, Text),
    row("mustUniq", &[Any], None, List),
    row("mustWithout", &[Any], Some(Any), List),
    row("must_date_modify", &[Text, Time], None, Time),
    row("nindent", &[Int, Text], None, Text),
    row("nospace", &[Text], None, Text),
    row("now", &[], None, Time),
    row("omit", &[Map], Some(Text), Map),
    row("osBase", &[Text], None, Text),
    row("osClean", &[Text], None, Text),
    row("osDir", &[Text], None, Text),
    row("osExt", &[Text], None, Text),
    row("osIsAbs", &[Text], None, Bool),
    row("pick", &[Map], Some(Text), Map),
    row("pluck", &[Text], Some(Map), List),
    row("plural", &[Text, Text, Int], None, Text),
    row("prepend", &[Any, Any], None, List),
    row("push", &[Any, Any], None, List),
    row("quote", &[], Some(Any), Text),
    row("randAlpha", &[Int], None, Text),
    row("randAlphaNum", &[Int], None, Text),
    row("randAscii", &[Int], None, Text),
    row("randBytes", &[Int], None, Text),
    row("randInt", &[Int, Int], None, Int),
    row("randNumeric", &[Int], None, Text),
    row("regexFind", &[Text, Text], None, Text),
    row("regexFindAll", &[Text, Text, Int], None, Texts),
    row("regexMatch", &[Text, Text], None, Bool),
    row("regexQuoteMeta", &[Text], None, Text),
    row("regexReplaceAll", &[Text, Text, Text], None, Text),
    row("regexReplaceAllLiteral", &[Text, Text, Text], None, Text),
    row("regexSplit", &[Text, Text, Int], None, Texts),
    row("repeat", &[Int, Text], None, Text),
    row("replace", &[Text, Text, Text], None, Text),
    row("rest", &[Any], None, List),
    row("reverse", &[Any], None, List),
    row("round", &[Any, Int], Some(Float), Float),
    row("semver", &[Text], None, Version),
    row("semverCompare", &[Text, Text], None, Bool),
    row("seq", &[], Some(Int), Text),
    row("set", &[Map, Text, Any], None, Map),
    row("sha1sum", &[Text], None, Text),
    row("sha256sum", &[Text], None, Text),
    row("sha512sum", &[Text], None, Text),
    row("shuffle", &[Text], None, Text),
    row("slice", &[Any], Some(Any), Any),
    row("snakecase", &[Text], None, Text),
    row("sortAlpha", &[Any], None, Texts),
    row("split", &[Text, Text], None, TextMap),
    row("splitList", &[Text, Text], None, Texts),
    row("splitn", &[Text, Int, Text], None, TextMap),
    row("squote", &[], Some(Any), Text),
    row("sub", &[Any, Any], None, Int64),
    row("subf", &[Any], Some(Any), Float),
    row("substr", &[Int, Int, Text], None, Text),
    row("swapcase", &[Text], None, Text),
    row("ternary", &[Any, Any, Bool], None, Any),
    row("title", &[Text], None, Text),
    row("toDate", &[Text, Text], None, Time),
    row("toDecimal", &[Any], None, Int64),
    row("toJSON", &[Any], None, Text),
    row("toJson", &[Any], None, Text),
    row("toPrettyJson", &[Any], None, Text),
    row("toRawJSON", &[Any], None, Text),
    row("toRawJson", &[Any], None, Text),
    row("toString", &[Any], None, Text),
    row("toStrings", &[Any], None, Texts),
    row("toYAML", &[Any], None, Text),
    row("toYaml", &[Any], None, Text),
    row("trim", &[Text], None, Text),
    row("trimAll", &[Text, Text], None, Text),
    row("trimPrefix", &[Text, Text], None, Text),
    row("trimSuffix", &[Text, Text], None, Text),
    row("trimall", &[Text, Text], None, Text),
    row("trunc", &[Int, Text], None, Text),
    row("tuple", &[], Some(Any), List),
    row("typeIs", &[Text, Any], None, Bool),
    row("typeIsLike", &[Text, Any], None, Bool),
    row("typeOf", &[Any], None, Text),
    row("uniq", &[Any], None, List),
    row("unixEpoch", &[Time], None, Text),
    row("unset", &[Map, Text], None, Map),
    row("until", &[Int], None, Ints),
    row("untilStep", &[Int, Int, Int], None, Ints),
    row("untitle", &[Text], None, Text),
    row("upper", &[Text], None, Text),
    row("urlJoin", &[Map], None, Text),
    row("urlParse", &[Text], None, Map),
    row("uuidv4", &[], None, Text),
    row("values", &[Map], None, List),
    row("without", &[Any], Some(Any), List),
    row("wrap", &[Int, Text], None, Text),
    row("wrapWith", &[Int, Text, Text], None, Text),
];
