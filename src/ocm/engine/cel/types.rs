//! Types known beforehand, and the functions there are with their overloads.
//!
//! The overloads are those of upstream's environment: cel-go's standard library, optional types
//! and string extension, Kubernetes' lists, regex, URLs, quantity, IP, CIDR, format and semver
//! libraries, OCM's `scores` and `parseJSON` (upstream `plugins/predicate`).

use std::collections::BTreeMap;
use std::fmt;
use std::sync::OnceLock;

/// A type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Type {
    /// Known at run time only.
    Dyn,
    /// The element of an empty list or map: whatever is wanted.
    Fresh,
    /// A type's parameter, in overloads only.
    Param(u8),
    /// A type without parameters, by its name.
    Plain(&'static str),
    List(Box<Self>),
    Map(Box<(Self, Self)>),
    Optional(Box<Self>),
}

pub(super) const BOOL: Type = Type::Plain("bool");
pub(super) const INT: Type = Type::Plain("int");
pub(super) const UINT: Type = Type::Plain("uint");
pub(super) const DOUBLE: Type = Type::Plain("double");
pub(super) const TEXT: Type = Type::Plain("string");
pub(super) const BYTES: Type = Type::Plain("bytes");
pub(super) const NULL: Type = Type::Plain("null");
pub(super) const TYPE: Type = Type::Plain("type");

pub(super) fn list_of(item: Type) -> Type {
    Type::List(Box::new(item))
}

pub(super) fn map_of(key: Type, value: Type) -> Type {
    Type::Map(Box::new((key, value)))
}

pub(super) fn optional_of(value: Type) -> Type {
    Type::Optional(Box::new(value))
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Dyn | Self::Fresh | Self::Param(_) => f.write_str("dyn"),
            Self::Plain(name) => f.write_str(name),
            Self::List(item) => write!(f, "list({item})"),
            Self::Map(entry) => write!(f, "map({}, {})", entry.0, entry.1),
            Self::Optional(value) => write!(f, "optional_type({value})"),
        }
    }
}

/// Types whose values may be null.
const NULLABLE: [&str; 8] = [
    "google.protobuf.Timestamp",
    "google.protobuf.Duration",
    "kubernetes.Quantity",
    "kubernetes.URL",
    "net.IP",
    "net.CIDR",
    "kubernetes.NamedFormat",
    "kubernetes.Semver",
];

/// Whether a value of one type can stand where the other is wanted, as far as is known.
pub(super) fn fits(wanted: &Type, found: &Type) -> bool {
    match (wanted, found) {
        (Type::Dyn | Type::Fresh, _) | (_, Type::Dyn | Type::Fresh) => true,
        (Type::Plain("null"), Type::Plain(other)) | (Type::Plain(other), Type::Plain("null"))
            if NULLABLE.contains(other) =>
        {
            true
        }
        (Type::Plain("null"), Type::Optional(_)) | (Type::Optional(_), Type::Plain("null")) => true,
        (Type::Plain(a), Type::Plain(b)) => a == b,
        (Type::List(a), Type::List(b)) | (Type::Optional(a), Type::Optional(b)) => fits(a, b),
        (Type::Map(a), Type::Map(b)) => fits(&a.0, &b.0) && fits(&a.1, &b.1),
        _ => false,
    }
}

/// The type of two values in one list: theirs if they agree, else dynamic.
pub(super) fn join(a: Type, b: Type) -> Type {
    match (a, b) {
        (Type::Fresh, other) | (other, Type::Fresh) => other,
        (Type::List(a), Type::List(b)) => list_of(join(*a, *b)),
        (Type::Map(a), Type::Map(b)) => map_of(join(a.0, b.0), join(a.1, b.1)),
        (Type::Optional(a), Type::Optional(b)) => optional_of(join(*a, *b)),
        (a, b) if a == b => a,
        _ => Type::Dyn,
    }
}

/// One way to call a function.
#[derive(Debug)]
pub(super) struct Overload {
    member: bool,
    args: Vec<Type>,
    result: Type,
}

impl Overload {
    /// The type of the result when the arguments fit.
    fn apply(&self, args: &[Type]) -> Option<Type> {
        if args.len() != self.args.len() {
            return None;
        }
        let mut bound: BTreeMap<u8, Type> = BTreeMap::new();
        for (wanted, found) in self.args.iter().zip(args) {
            if !bind(wanted, found, &mut bound) {
                return None;
            }
        }
        Some(substitute(&self.result, &bound))
    }
}

fn bind(wanted: &Type, found: &Type, bound: &mut BTreeMap<u8, Type>) -> bool {
    match (wanted, found) {
        (Type::Param(name), found) => match bound.get(name) {
            None => {
                bound.insert(*name, found.clone());
                true
            }
            Some(before) if fits(before, found) => {
                let joined = join(before.clone(), found.clone());
                bound.insert(*name, joined);
                true
            }
            Some(_) => false,
        },
        (Type::List(a), Type::List(b)) | (Type::Optional(a), Type::Optional(b)) => {
            bind(a, b, bound)
        }
        (Type::Map(a), Type::Map(b)) => bind(&a.0, &b.0, bound) && bind(&a.1, &b.1, bound),
        (Type::List(inner) | Type::Optional(inner), Type::Dyn | Type::Fresh) => {
            bind(inner, &Type::Dyn, bound)
        }
        (Type::Map(entry), Type::Dyn | Type::Fresh) => {
            bind(&entry.0, &Type::Dyn, bound) && bind(&entry.1, &Type::Dyn, bound)
        }
        (wanted, found) => fits(wanted, found),
    }
}

fn substitute(result: &Type, bound: &BTreeMap<u8, Type>) -> Type {
    match result {
        Type::Param(name) => bound.get(name).cloned().unwrap_or(Type::Dyn),
        Type::List(item) => list_of(substitute(item, bound)),
        Type::Optional(value) => optional_of(substitute(value, bound)),
        Type::Map(entry) => map_of(substitute(&entry.0, bound), substitute(&entry.1, bound)),
        plain => plain.clone(),
    }
}

/// All overloads, one a line: `f` for `name(arguments)` or `m` for `first.name(rest)`, name,
/// argument types, result. Letters: b bool, i int, u uint, d double, s string, y bytes, n null,
/// t timestamp, r duration, T type, `*` any, Q quantity, U URL, I IP, C CIDR, F format, V semver;
/// A and B are parameters, `[A]` a list, `{AB}` a map, `?A` an optional.
const OVERLOADS: &str = "\
f _==_ AA b;f _!=_ AA b
f _<_ bb b;f _<_ ii b;f _<_ uu b;f _<_ dd b;f _<_ ss b;f _<_ yy b;f _<_ tt b;f _<_ rr b
f _+_ ii i;f _+_ uu u;f _+_ dd d;f _+_ ss s;f _+_ yy y;f _+_ [A][A] [A]
f _+_ tr t;f _+_ rt t;f _+_ rr r
f _-_ ii i;f _-_ uu u;f _-_ dd d;f _-_ tt r;f _-_ tr t;f _-_ rr r
f _*_ ii i;f _*_ uu u;f _*_ dd d;f _/_ ii i;f _/_ uu u;f _/_ dd d;f _%_ ii i;f _%_ uu u
f -_ i i;f -_ d d;f !_ b b;f _&&_ bb b;f _||_ bb b;f @not_strictly_false b b
f _?_:_ bAA A;f @in A[A] b;f @in A{AB} b
f _[_] [A]i A;f _[_] {AB}A B;f _[_] ?[A]i ?A;f _[_] ?{AB}A ?B
f _[?_] [A]i ?A;f _[?_] {AB}A ?B;f _[?_] ?[A]i ?A;f _[?_] ?{AB}A ?B
f size s i;f size y i;f size [A] i;f size {AB} i;m size s i;m size y i;m size [A] i;m size {AB} i
f type A T;f dyn A *
f bool b b;f bool s b
f bytes y y;f bytes s y
f double d d;f double i d;f double u d;f double s d
f int i i;f int u i;f int d i;f int s i;f int t i;f int r i
f uint u u;f uint i u;f uint d u;f uint s u
f string s s;f string b s;f string i s;f string u s;f string d s;f string y s;f string t s
f string r s;f string I s;f string C s
f timestamp t t;f timestamp s t;f timestamp i t;f duration r r;f duration s r;f duration i r
m contains ss b;m startsWith ss b;m endsWith ss b;m matches ss b;f matches ss b
m getFullYear t i;m getFullYear ts i;m getMonth t i;m getMonth ts i;m getDate t i
m getDate ts i;m getDayOfMonth t i;m getDayOfMonth ts i;m getDayOfWeek t i;m getDayOfWeek ts i
m getDayOfYear t i;m getDayOfYear ts i;m getHours t i;m getHours ts i;m getHours r i
m getMinutes t i;m getMinutes ts i;m getMinutes r i;m getSeconds t i;m getSeconds ts i
m getSeconds r i;m getMilliseconds t i;m getMilliseconds ts i;m getMilliseconds r i
f optional.of A ?A;f optional.ofNonZeroValue A ?A;f optional.none  ?A
m value ?A A;m hasValue ?A b;m or ?A?A ?A;m orValue ?AA A
f optional.unwrap [?A] [A];m unwrapOpt [?A] [A];m first [A] ?A;m last [A] ?A
m charAt si s;m indexOf ss i;m indexOf ssi i;m indexOf [A]A i;m lastIndexOf ss i
m lastIndexOf ssi i;m lastIndexOf [A]A i;m lowerAscii s s;m upperAscii s s;m trim s s
m replace sss s;m replace sssi s;m split ss [s];m split ssi [s];m substring si s
m substring sii s;m join [s] s;m join [s]s s;m reverse s s;m format s[*] s;f strings.quote s s
m isSorted [i] b;m isSorted [u] b;m isSorted [d] b;m isSorted [b] b;m isSorted [r] b
m isSorted [t] b;m isSorted [s] b;m isSorted [y] b
m sum [i] i;m sum [u] u;m sum [d] d;m sum [r] r
m min [i] i;m min [u] u;m min [d] d;m min [b] b;m min [r] r;m min [t] t;m min [s] s;m min [y] y
m max [i] i;m max [u] u;m max [d] d;m max [b] b;m max [r] r;m max [t] t;m max [s] s;m max [y] y
m find ss s;m findAll ss [s];m findAll ssi [s]
f url s U;f isURL s b;m getScheme U s;m getHost U s;m getHostname U s;m getPort U s
m getEscapedPath U s;m getQuery U {s[s]}
f quantity s Q;f isQuantity s b;f sign Q i;m isGreaterThan QQ b;m isLessThan QQ b
m compareTo QQ i;m asApproximateFloat Q d;m asInteger Q i;m isInteger Q b;m add QQ Q;m add Qi Q
m sub QQ Q;m sub Qi Q
f ip s I;f isIP s b;f ip.isCanonical s b;m family I i;m isUnspecified I b;m isLoopback I b
m isLinkLocalMulticast I b;m isLinkLocalUnicast I b;m isGlobalUnicast I b
f cidr s C;f isCIDR s b;m containsIP Cs b;m containsIP CI b;m containsCIDR Cs b
m containsCIDR CC b;m ip C I;m prefixLength C i;m masked C C
f format.named s ?F;m validate Fs ?[s];f format.dns1123Label  F;f format.dns1123Subdomain  F
f format.dns1035Label  F;f format.qualifiedName  F;f format.dns1123LabelPrefix  F
f format.dns1123SubdomainPrefix  F;f format.dns1035LabelPrefix  F;f format.labelValue  F
f format.uri  F;f format.uuid  F;f format.byte  F;f format.date  F;f format.datetime  F
f semver s V;f isSemver s b;m isGreaterThan VV b;m isLessThan VV b;m compareTo VV i
m major V i;m minor V i;m patch V i
m scores *s [*];m parseJSON s *";

fn read_type(text: &str) -> (Type, &str) {
    let (letter, rest) = text.split_at(1);
    let plain = match letter {
        "b" => "bool",
        "i" => "int",
        "u" => "uint",
        "d" => "double",
        "s" => "string",
        "y" => "bytes",
        "n" => "null",
        "t" => "google.protobuf.Timestamp",
        "r" => "google.protobuf.Duration",
        "T" => "type",
        "Q" => "kubernetes.Quantity",
        "U" => "kubernetes.URL",
        "I" => "net.IP",
        "C" => "net.CIDR",
        "F" => "kubernetes.NamedFormat",
        "V" => "kubernetes.Semver",
        "A" => return (Type::Param(0), rest),
        "B" => return (Type::Param(1), rest),
        "?" => {
            let (value, rest) = read_type(rest);
            return (optional_of(value), rest);
        }
        "[" => {
            let (item, rest) = read_type(rest);
            return (list_of(item), &rest[1..]);
        }
        "{" => {
            let (key, rest) = read_type(rest);
            let (value, rest) = read_type(rest);
            return (map_of(key, value), &rest[1..]);
        }
        _ => return (Type::Dyn, rest),
    };
    (Type::Plain(plain), rest)
}

fn table() -> &'static BTreeMap<&'static str, Vec<Overload>> {
    static TABLE: OnceLock<BTreeMap<&'static str, Vec<Overload>>> = OnceLock::new();
    TABLE.get_or_init(|| {
        let mut table: BTreeMap<&'static str, Vec<Overload>> = BTreeMap::new();
        for line in OVERLOADS.split(['\n', ';']) {
            let mut parts = line.split(' ');
            let style = parts.next();
            let (Some(name), Some(mut args), Some(result)) =
                (parts.next(), parts.next(), parts.next())
            else {
                continue;
            };
            let mut overload = Overload {
                member: style == Some("m"),
                args: Vec::new(),
                result: read_type(result).0,
            };
            while !args.is_empty() {
                let (argument, rest) = read_type(args);
                overload.args.push(argument);
                args = rest;
            }
            table.entry(name).or_default().push(overload);
        }
        table
    })
}

/// The function's own name if it is declared; the order relations share their overloads.
pub(super) fn declared(name: &str) -> Option<&'static str> {
    let (known, _) = table().get_key_value(match name {
        "_<=_" | "_>_" | "_>=_" => "_<_",
        name => name,
    })?;
    Some(match name {
        "_<=_" => "_<=_",
        "_>_" => "_>_",
        "_>=_" => "_>=_",
        _ => known,
    })
}

/// The type of a call; `None` when no overload fits.
pub(super) fn resolve(name: &str, member: bool, args: &[Type]) -> Option<Type> {
    let overloads = table().get(match name {
        "_<=_" | "_>_" | "_>=_" => "_<_",
        name => name,
    })?;
    let mut result: Option<Type> = None;
    for overload in overloads
        .iter()
        .filter(|overload| overload.member == member)
    {
        let Some(found) = overload.apply(args) else {
            continue;
        };
        result = Some(match result {
            None => found,
            // Several may be meant: only the run time will tell.
            Some(before) if before == found => before,
            Some(_) => return Some(Type::Dyn),
        });
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overloads_are_resolved() {
        assert_eq!(resolve("_+_", false, &[INT, INT]), Some(INT));
        assert_eq!(resolve("_+_", false, &[INT, TEXT]), None);
        assert_eq!(resolve("_<_", false, &[INT, DOUBLE]), None);
        assert_eq!(resolve("_<=_", false, &[Type::Dyn, DOUBLE]), Some(BOOL));
        assert_eq!(resolve("_==_", false, &[Type::Dyn, TEXT]), Some(BOOL));
        assert_eq!(resolve("_==_", false, &[INT, TEXT]), None);
        assert_eq!(
            resolve("_+_", false, &[list_of(Type::Fresh), list_of(INT)]),
            Some(list_of(INT))
        );
        assert_eq!(
            resolve("_[_]", false, &[map_of(TEXT, INT), TEXT]),
            Some(INT)
        );
        assert_eq!(resolve("_[_]", false, &[map_of(TEXT, INT), INT]), None);
        let quantity = resolve("quantity", false, &[TEXT]).unwrap();
        assert_eq!(resolve("sign", true, std::slice::from_ref(&quantity)), None);
        assert_eq!(resolve("sign", false, &[quantity]), Some(INT));
        assert_eq!(
            resolve("optional.none", false, &[]),
            Some(optional_of(Type::Dyn))
        );
        assert!(declared("_>=_").is_some());
        assert!(declared("nope").is_none());
    }
}
