//! Templates that Go accepts and refuses.

use super::*;

const HUB: Delimiters = Delimiters {
    left: "{{hub",
    right: "hub}}",
};

fn fault(text: &str) -> Option<(FaultKind, String)> {
    fault_in(text, Delimiters::BRACES)
}

fn fault_in(text: &str, delimiters: Delimiters) -> Option<(FaultKind, String)> {
    let known = |name: &str| Functions::GENERAL.find(name).is_some();
    let fault = parse(text, delimiters, &known).err()?;
    Some((fault.kind, text[fault.span].to_owned()))
}

#[test]
fn what_go_accepts() {
    for text in [
        "",
        "plain } text }}",
        "{{ \"{{\" }}",
        "{{- .a -}} {{.b}}",
        "{{- 1}}{{-1}}",
        "{{/* a }} comment */}}x{{- /* another */ -}}",
        "{{ `a\n\"b` }}",
        "{{ 'x' }}{{ '\\n' }}{{ 0x1F }}{{ 1_000 }}{{ 1e3 }}{{ .5 }}{{ -3 }}{{ 1+2i }}",
        "{{ $x := 1 }}{{ $x = 2 }}{{ $x }}{{ $ }}{{ $.a.b }}",
        "{{ range $i, $e := .a }}{{ $i }}{{ $e }}{{ break }}{{ else }}{{ end }}",
        "{{ if .a }}{{ else if .b }}{{ else }}{{ end }}",
        "{{ with .a }}{{ else with .b }}{{ end }}",
        "{{ define \"a\" }}{{ . }}{{ end }}{{ template \"a\" . }}{{ template `a` }}",
        "{{ block \"b\" .x }}{{ .y }}{{ end }}",
        "{{ (index .a \"b\").c.d }}",
        "{{ printf \"%s\" (print 1 | printf \"%d\") }}",
        "{{ .a\n | quote }}",
        "{{ if and .a (or .b .c) }}x{{ end }}",
        "{{ define \"a\" }} {{ end }}{{ define \"a\" }}x{{ end }}",
        "{{ \"\\u00e9\\x41\\101\\\"\" }}",
        "{{ index . \"a-b\" }}",
        "{{ if . }}{{ $x = 1 }}{{ end }}{{ and . ($y = 1) }}",
        "{{ range . }}{{ if .x }}{{ continue }}{{ end }}{{ end }}",
    ] {
        assert_eq!(fault(text), None, "{text}");
    }
    for text in [
        "{{hub .a hub}}",
        "{{hub- .a -hub}}",
        "{{ anything at all }}{{hub \"}}\" hub}}",
        "{{hub/* note */hub}}",
    ] {
        assert_eq!(fault_in(text, HUB), None, "{text}");
    }
}

#[test]
fn what_go_refuses_and_where() {
    use FaultKind as K;
    let text = |text: &str| text.to_owned();
    for (given, kind, at) in [
        ("a {{ .b", K::UnclosedAction, "{{ .b"),
        ("{{}}", K::MissingValue("an action"), "{{}}"),
        ("{{ ( ) }}", K::MissingValue("parentheses"), "{{ ( ) }}"),
        ("{{ end }}", K::ExtraEnd, "{{ end }}"),
        ("{{ else }}", K::ExtraElse, "{{ else }}"),
        (
            "{{ if .a }}x{{ range .b }}y",
            K::UnclosedBlock("range"),
            "{{ range .b }}",
        ),
        ("{{ .a-b }}", K::AfterName('-', text(".a-b")), "{{ .a"),
        (
            "{{ .x.a-b.c }}",
            K::AfterName('-', text(".x.a-b.c")),
            "{{ .x.a",
        ),
        ("{{ \"a }}", K::UnclosedText, "{{ \"a }}"),
        ("{{ \"a\nb\" }}", K::UnclosedText, "{{ \"a"),
        ("{{ `a }}", K::UnclosedRawText, "{{ `a }}"),
        ("{{ \"\\q\" }}", K::BadEscape, "{{ \"\\q\" }}"),
        ("{{ (.a }}", K::UnclosedParenthesis, "{{ (.a "),
        ("{{ .a) }}", K::ExtraParenthesis, "{{ .a)"),
        ("{{ $x }}", K::UnknownVariable(text("$x")), "{{ $x }}"),
        (
            "{{ $x = 1 }}",
            K::UnknownVariable(text("$x")),
            "{{ $x = 1 }}",
        ),
        (
            "{{ $x := 1 }}{{ $x=2 }}",
            K::AfterName('=', text("$x")),
            "{{ $x",
        ),
        (
            "{{ if .a }}{{ $x := 1 }}{{ end }}{{ $x }}",
            K::UnknownVariable(text("$x")),
            "{{ $x }}",
        ),
        (
            "{{ $x := 1 }}{{ define \"a\" }}{{ $x }}{{ end }}",
            K::UnknownVariable(text("$x")),
            "{{ $x }}",
        ),
        (
            "{{ nosuch 1 }}",
            K::UnknownFunction(text("nosuch")),
            "nosuch",
        ),
        (
            "{{ if false }}{{ a }}{{ end }}",
            K::UnknownFunction(text("a")),
            "a",
        ),
        ("{{ .a | 1 }}", K::NotAFunction(text("1")), "{{ .a | 1 }}"),
        ("{{ 089 }}", K::BadNumber(text("089")), "{{ 089 }}"),
        ("{{ 1x }}", K::BadNumber(text("1x")), "{{ 1"),
        ("{{ 1.a }}", K::BadNumber(text("1.a")), "{{ 1"),
        ("{{ \"a\".b }}", K::NoFields(text("\"a\"")), "{{ \"a\".b }}"),
        (
            "{{ $a, $b := 1 }}",
            K::TooManyVariables("an action"),
            "{{ $a, $b := 1 }}",
        ),
        ("{{ break }}", K::OutsideRange("break"), "{{ break }}"),
        (
            "{{ range . }}{{ else }}{{ break }}{{ end }}",
            K::OutsideRange("break"),
            "{{ break }}",
        ),
        ("{{/* a }}", K::UnclosedComment, "{{/* a }}"),
        ("{{/* a */ .b }}", K::AfterComment, "{{/* a */"),
        (
            "{{ if . }}{{ define \"a\" }}{{ end }}{{ end }}",
            K::Unexpected(text("define"), "a block"),
            "{{ define \"a\" }}",
        ),
        (
            "{{ define \"a\" }}x{{ end }}{{ define \"a\" }}y{{ end }}",
            K::DefinedTwice(text("a")),
            "{{ define \"a\" }}",
        ),
        (
            "{{ range . }}{{ else if . }}{{ end }}",
            K::Unexpected(text("if"), "`else`"),
            "{{ else if . }}",
        ),
        (
            "{{ . ; }}",
            K::Unexpected(text(";"), "a command"),
            "{{ . ; }}",
        ),
        ("{{ 😀 }}", K::UnknownCharacter('😀'), "{{ 😀"),
    ] {
        assert_eq!(fault(given), Some((kind, at.to_owned())), "{given}");
    }
}

#[test]
fn large_and_deep_templates_take_linear_time_and_no_stack() {
    let nested = "{{ if . }}".repeat(10_000) + &"{{ end }}".repeat(10_000);
    assert_eq!(fault(&nested), None);
    let unclosed = "{{ range . }}".repeat(10_000);
    assert!(matches!(
        fault(&unclosed),
        Some((FaultKind::UnclosedBlock("range"), _))
    ));
    let deep = format!("{{{{ {}1{} }}}}", "(".repeat(10_000), ")".repeat(10_000));
    assert_eq!(fault(&deep), None);
    let deeper = format!("{{{{ {}1{} }}}}", "(".repeat(10_001), ")".repeat(10_001));
    assert!(matches!(fault(&deeper), Some((FaultKind::TooDeep, _))));
    let constant = format!("{{{{ \"{}\" }}}}", "a\\n".repeat(3 << 20));
    assert_eq!(fault(&constant), None);
    let variables: String = (0..50_000)
        .map(|at| format!("{{{{ $v{at} := 1 }}}}"))
        .collect();
    assert_eq!(fault(&variables), None);
    let pipe = format!("{{{{ 1{} }}}}", " | quote".repeat(100_000));
    assert_eq!(fault(&pipe), None);
}

fn called(text: &str) -> Vec<(String, Reason, bool)> {
    let function = |name: &str| Functions::GENERAL.find(name);
    let template = parse(text, Delimiters::BRACES, &|name| function(name).is_some()).unwrap();
    let mut found = Vec::new();
    calls(
        &template,
        text,
        &function,
        &|_, _| Type::Any,
        &mut |fault| {
            assert_eq!(&text[fault.span.clone()], fault.name);
            found.push((fault.name.to_owned(), fault.reason, fault.certain));
        },
    );
    found
}

#[test]
fn calls_by_number_and_type() {
    let few = |least, got| Reason::TooFew { least, got };
    let wrong = |number, wanted, got: &str| Reason::Type {
        number,
        wanted,
        got: got.to_owned(),
    };
    for (text, name, reason, certain) in [
        (
            "{{ indent (add 1 2) \"x\" }}",
            "indent",
            wrong(1, Type::Int, "int64"),
            true,
        ),
        (
            "{{ \"5\" | int | b64enc }}",
            "b64enc",
            wrong(1, Type::Text, "int"),
            true,
        ),
        (
            "{{ if true }}{{ upper 1 }}{{ end }}",
            "upper",
            wrong(1, Type::Text, "1"),
            false,
        ),
        ("{{ if upper }}{{ end }}", "upper", few(1, 0), true),
        ("{{ and .a (upper) }}", "upper", few(1, 0), false),
        ("{{ or (upper) .a }}", "upper", few(1, 0), true),
        ("{{ print (upper | quote) }}", "upper", few(1, 0), true),
        ("{{ eq 1 }}", "eq", few(2, 1), true),
        (
            "{{ upper true }}",
            "upper",
            wrong(1, Type::Text, "true"),
            true,
        ),
        (
            "{{ upper nil }}",
            "upper",
            wrong(1, Type::Text, "nil"),
            true,
        ),
        ("{{ \"a\" \"b\" }}", "\"a\"", Reason::NotAFunction, true),
        (
            "{{ not 1 2 }}",
            "not",
            Reason::TooMany { most: 1, got: 2 },
            true,
        ),
        (
            "{{ get (split \".\" \"a.b\") \"_0\" }}",
            "get",
            wrong(1, Type::Map, "map[string]string"),
            true,
        ),
    ] {
        assert_eq!(called(text), [(name.to_owned(), reason, certain)], "{text}");
    }
    for text in [
        "{{ \"x\" | indent 4 }}",
        "{{ default 1 .a }}",
        "{{ round 1 2 }}",
        "{{ .a.Format \"x\" }}",
        "{{ print }}",
        "{{ keys (dict \"a\" 1) | join \",\" }}",
        "{{ trunc 5.0 \"abcdefg\" }}",
        "{{ now | date \"2006\" }}",
    ] {
        assert_eq!(called(text), [], "{text}");
    }
}

#[test]
fn the_tables_have_each_function_once_and_in_order() {
    assert!(SPRIG.is_sorted_by(|one, next| one.name < next.name));
    assert_eq!(
        Functions::GENERAL.find("dig").unwrap().to_string(),
        "dig(...any) any"
    );
    assert_eq!(
        Functions::GENERAL.find("printf").unwrap().to_string(),
        "printf(string, ...any) string"
    );
}
