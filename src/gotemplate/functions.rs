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

impl Function {
    /// A row of a table of functions.
    #[must_use]
    pub const fn new(
        name: &'static str,
        parameters: &'static [Type],
        rest: Option<Type>,
        result: Type,
    ) -> Self {
        Self {
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

/// A function that every template of Go's has.
#[must_use]
pub fn builtin(name: &str) -> Option<&'static Function> {
    BUILTIN.iter().find(|function| function.name == name)
}

/// A function of Sprig.
#[must_use]
pub fn sprig(name: &str) -> Option<&'static Function> {
    static NAMES: OnceLock<FxHashMap<&str, &Function>> = OnceLock::new();
    let names = NAMES.get_or_init(|| SPRIG.iter().map(|one| (one.name, one)).collect());
    names.get(name).copied()
}

const fn f(
    name: &'static str,
    parameters: &'static [Type],
    rest: Option<Type>,
    result: Type,
) -> Function {
    Function::new(name, parameters, rest, result)
}

static BUILTIN: &[Function] = &[
    f("and", &[Any], Some(Any), Any),
    f("call", &[Any], Some(Any), Any),
    f("eq", &[Any, Any], Some(Any), Bool),
    f("ge", &[Any, Any], None, Bool),
    f("gt", &[Any, Any], None, Bool),
    f("html", &[], Some(Any), Text),
    f("index", &[Any], Some(Any), Any),
    f("js", &[], Some(Any), Text),
    f("le", &[Any, Any], None, Bool),
    f("len", &[Any], None, Int),
    f("lt", &[Any, Any], None, Bool),
    f("ne", &[Any, Any], None, Bool),
    f("not", &[Any], None, Bool),
    f("or", &[Any], Some(Any), Any),
    f("print", &[], Some(Any), Text),
    f("printf", &[Text], Some(Any), Text),
    f("println", &[], Some(Any), Text),
    f("slice", &[Any], Some(Any), Any),
    f("urlquery", &[], Some(Any), Text),
];

/// Sprig's functions, and those that resolvers commonly put beside them.
pub static SPRIG: &[Function] = &[
    f("abbrev", &[Int, Text], None, Text),
    f("abbrevboth", &[Int, Int, Text], None, Text),
    f("add", &[], Some(Any), Int64),
    f("add1", &[Any], None, Int64),
    f("add1f", &[Any], None, Float),
    f("addf", &[], Some(Any), Float),
    f("adler32sum", &[Text], None, Text),
    f("ago", &[Any], None, Text),
    f("all", &[], Some(Any), Bool),
    f("any", &[], Some(Any), Bool),
    f("append", &[Any, Any], None, List),
    f("atoi", &[Text], None, Int),
    f("b32dec", &[Text], None, Text),
    f("b32enc", &[Text], None, Text),
    f("b64dec", &[Text], None, Text),
    f("b64enc", &[Text], None, Text),
    f("base", &[Text], None, Text),
    f("bcrypt", &[Text], None, Text),
    f("biggest", &[Any], Some(Any), Int64),
    f("buildCustomCert", &[Text, Text], None, Certificate),
    f("camelcase", &[Text], None, Text),
    f("cat", &[], Some(Any), Text),
    f("ceil", &[Any], None, Float),
    f("chunk", &[Int, Any], None, Lists),
    f("clean", &[Text], None, Text),
    f("coalesce", &[], Some(Any), Any),
    f("compact", &[Any], None, List),
    f("concat", &[], Some(Any), Any),
    f("contains", &[Text, Text], None, Bool),
    f("date", &[Text, Any], None, Text),
    f("dateInZone", &[Text, Any, Text], None, Text),
    f("dateModify", &[Text, Time], None, Time),
    f("date_in_zone", &[Text, Any, Text], None, Text),
    f("date_modify", &[Text, Time], None, Time),
    f("decryptAES", &[Text, Text], None, Text),
    f("deepCopy", &[Any], None, Any),
    f("deepEqual", &[Any, Any], None, Bool),
    f("default", &[Any], Some(Any), Any),
    f(
        "derivePassword",
        &[Uint, Text, Text, Text, Text],
        None,
        Text,
    ),
    f("dict", &[], Some(Any), Map),
    f("dig", &[], Some(Any), Any),
    f("dir", &[Text], None, Text),
    f("div", &[Any, Any], None, Int64),
    f("divf", &[Any], Some(Any), Float),
    f("duration", &[Any], None, Text),
    f("durationRound", &[Any], None, Text),
    f("empty", &[Any], None, Bool),
    f("encryptAES", &[Text, Text], None, Text),
    f("env", &[], Some(Any), Any),
    f("expandenv", &[], Some(Any), Any),
    f("ext", &[Text], None, Text),
    f("fail", &[Text], None, Text),
    f("first", &[Any], None, Any),
    f("float64", &[Any], None, Float),
    f("floor", &[Any], None, Float),
    f("fromJSON", &[Text], None, Any),
    f("fromJson", &[Text], None, Any),
    f("fromYAML", &[Text], None, Any),
    f("fromYaml", &[Text], None, Any),
    f("genCA", &[Text, Int], None, Certificate),
    f("genCAWithKey", &[Text, Int, Text], None, Certificate),
    f("genPrivateKey", &[Text], None, Text),
    f(
        "genSelfSignedCert",
        &[Text, List, List, Int],
        None,
        Certificate,
    ),
    f(
        "genSelfSignedCertWithKey",
        &[Text, List, List, Int, Text],
        None,
        Certificate,
    ),
    f(
        "genSignedCert",
        &[Text, List, List, Int, Certificate],
        None,
        Certificate,
    ),
    f(
        "genSignedCertWithKey",
        &[Text, List, List, Int, Certificate, Text],
        None,
        Certificate,
    ),
    f("get", &[Map, Text], None, Any),
    f("getHostByName", &[Text], None, Text),
    f("has", &[Any, Any], None, Bool),
    f("hasKey", &[Map, Text], None, Bool),
    f("hasPrefix", &[Text, Text], None, Bool),
    f("hasSuffix", &[Text, Text], None, Bool),
    f("hello", &[], None, Text),
    f("htmlDate", &[Any], None, Text),
    f("htmlDateInZone", &[Any, Text], None, Text),
    f("htpasswd", &[Text, Text], None, Text),
    f("indent", &[Int, Text], None, Text),
    f("initial", &[Any], None, List),
    f("initials", &[Text], None, Text),
    f("int", &[Any], None, Int),
    f("int64", &[Any], None, Int64),
    f("isAbs", &[Text], None, Bool),
    f("join", &[Text, Any], None, Text),
    f("kebabcase", &[Text], None, Text),
    f("keys", &[], Some(Map), Texts),
    f("kindIs", &[Text, Any], None, Bool),
    f("kindOf", &[Any], None, Text),
    f("last", &[Any], None, Any),
    f("list", &[], Some(Any), List),
    f("lower", &[Text], None, Text),
    f("max", &[Any], Some(Any), Int64),
    f("maxf", &[Any], Some(Any), Float),
    f("merge", &[Map], Some(Map), Any),
    f("mergeOverwrite", &[Map], Some(Map), Any),
    f("min", &[Any], Some(Any), Int64),
    f("minf", &[Any], Some(Any), Float),
    f("mod", &[Any, Any], None, Int64),
    f("mul", &[Any], Some(Any), Int64),
    f("mulf", &[Any], Some(Any), Float),
    f("mustAppend", &[Any, Any], None, List),
    f("mustChunk", &[Int, Any], None, Lists),
    f("mustCompact", &[Any], None, List),
    f("mustDateModify", &[Text, Time], None, Time),
    f("mustDeepCopy", &[Any], None, Any),
    f("mustFirst", &[Any], None, Any),
    f("mustFromJSON", &[Text], None, Any),
    f("mustFromJson", &[Text], None, Any),
    f("mustHas", &[Any, Any], None, Bool),
    f("mustInitial", &[Any], None, List),
    f("mustLast", &[Any], None, Any),
    f("mustMerge", &[Map], Some(Map), Any),
    f("mustMergeOverwrite", &[Map], Some(Map), Any),
    f("mustPrepend", &[Any, Any], None, List),
    f("mustPush", &[Any, Any], None, List),
    f("mustRegexFind", &[Text, Text], None, Text),
    f("mustRegexFindAll", &[Text, Text, Int], None, Texts),
    f("mustRegexMatch", &[Text, Text], None, Bool),
    f("mustRegexReplaceAll", &[Text, Text, Text], None, Text),
    f(
        "mustRegexReplaceAllLiteral",
        &[Text, Text, Text],
        None,
        Text,
    ),
    f("mustRegexSplit", &[Text, Text, Int], None, Texts),
    f("mustRest", &[Any], None, List),
    f("mustReverse", &[Any], None, List),
    f("mustSlice", &[Any], Some(Any), Any),
    f("mustToDate", &[Text, Text], None, Time),
    f("mustToJSON", &[Any], None, Text),
    f("mustToJson", &[Any], None, Text),
    f("mustToPrettyJson", &[Any], None, Text),
    f("mustToRawJSON", &[Any], None, Text),
    f("mustToRawJson", &[Any], None, Text),
    f("mustUniq", &[Any], None, List),
    f("mustWithout", &[Any], Some(Any), List),
    f("must_date_modify", &[Text, Time], None, Time),
    f("nindent", &[Int, Text], None, Text),
    f("nospace", &[Text], None, Text),
    f("now", &[], None, Time),
    f("omit", &[Map], Some(Text), Map),
    f("osBase", &[Text], None, Text),
    f("osClean", &[Text], None, Text),
    f("osDir", &[Text], None, Text),
    f("osExt", &[Text], None, Text),
    f("osIsAbs", &[Text], None, Bool),
    f("pick", &[Map], Some(Text), Map),
    f("pluck", &[Text], Some(Map), List),
    f("plural", &[Text, Text, Int], None, Text),
    f("prepend", &[Any, Any], None, List),
    f("push", &[Any, Any], None, List),
    f("quote", &[], Some(Any), Text),
    f("randAlpha", &[Int], None, Text),
    f("randAlphaNum", &[Int], None, Text),
    f("randAscii", &[Int], None, Text),
    f("randBytes", &[Int], None, Text),
    f("randInt", &[Int, Int], None, Int),
    f("randNumeric", &[Int], None, Text),
    f("regexFind", &[Text, Text], None, Text),
    f("regexFindAll", &[Text, Text, Int], None, Texts),
    f("regexMatch", &[Text, Text], None, Bool),
    f("regexQuoteMeta", &[Text], None, Text),
    f("regexReplaceAll", &[Text, Text, Text], None, Text),
    f("regexReplaceAllLiteral", &[Text, Text, Text], None, Text),
    f("regexSplit", &[Text, Text, Int], None, Texts),
    f("repeat", &[Int, Text], None, Text),
    f("replace", &[Text, Text, Text], None, Text),
    f("rest", &[Any], None, List),
    f("reverse", &[Any], None, List),
    f("round", &[Any, Int], Some(Float), Float),
    f("semver", &[Text], None, Version),
    f("semverCompare", &[Text, Text], None, Bool),
    f("seq", &[], Some(Int), Text),
    f("set", &[Map, Text, Any], None, Map),
    f("sha1sum", &[Text], None, Text),
    f("sha256sum", &[Text], None, Text),
    f("sha512sum", &[Text], None, Text),
    f("shuffle", &[Text], None, Text),
    f("slice", &[Any], Some(Any), Any),
    f("snakecase", &[Text], None, Text),
    f("sortAlpha", &[Any], None, Texts),
    f("split", &[Text, Text], None, TextMap),
    f("splitList", &[Text, Text], None, Texts),
    f("splitn", &[Text, Int, Text], None, TextMap),
    f("squote", &[], Some(Any), Text),
    f("sub", &[Any, Any], None, Int64),
    f("subf", &[Any], Some(Any), Float),
    f("substr", &[Int, Int, Text], None, Text),
    f("swapcase", &[Text], None, Text),
    f("ternary", &[Any, Any, Bool], None, Any),
    f("title", &[Text], None, Text),
    f("toDate", &[Text, Text], None, Time),
    f("toDecimal", &[Any], None, Int64),
    f("toJSON", &[Any], None, Text),
    f("toJson", &[Any], None, Text),
    f("toPrettyJson", &[Any], None, Text),
    f("toRawJSON", &[Any], None, Text),
    f("toRawJson", &[Any], None, Text),
    f("toString", &[Any], None, Text),
    f("toStrings", &[Any], None, Texts),
    f("toYAML", &[Any], None, Text),
    f("toYaml", &[Any], None, Text),
    f("trim", &[Text], None, Text),
    f("trimAll", &[Text, Text], None, Text),
    f("trimPrefix", &[Text, Text], None, Text),
    f("trimSuffix", &[Text, Text], None, Text),
    f("trimall", &[Text, Text], None, Text),
    f("trunc", &[Int, Text], None, Text),
    f("tuple", &[], Some(Any), List),
    f("typeIs", &[Text, Any], None, Bool),
    f("typeIsLike", &[Text, Any], None, Bool),
    f("typeOf", &[Any], None, Text),
    f("uniq", &[Any], None, List),
    f("unixEpoch", &[Time], None, Text),
    f("unset", &[Map, Text], None, Map),
    f("until", &[Int], None, Ints),
    f("untilStep", &[Int, Int, Int], None, Ints),
    f("untitle", &[Text], None, Text),
    f("upper", &[Text], None, Text),
    f("urlJoin", &[Map], None, Text),
    f("urlParse", &[Text], None, Map),
    f("uuidv4", &[], None, Text),
    f("values", &[Map], None, List),
    f("without", &[Any], Some(Any), List),
    f("wrap", &[Int, Text], None, Text),
    f("wrapWith", &[Int, Text, Text], None, Text),
];
