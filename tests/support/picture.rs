//! A screen as a picture: SVG in the colours of a light or a dark terminal.

use std::fmt::Write as _;

/// The colours of a terminal.
pub(crate) struct Look {
    pub(crate) name: &'static str,
    ground: &'static str,
    plain: &'static str,
    dim: &'static str,
    red: &'static str,
    green: &'static str,
    yellow: &'static str,
}

pub(crate) const LOOKS: [Look; 2] = [
    Look {
        name: "light",
        ground: "#f6f8fa",
        plain: "#1f2328",
        dim: "#656d76",
        red: "#b3261e",
        green: "#1a6b2f",
        yellow: "#7a5200",
    },
    Look {
        name: "dark",
        ground: "#161b22",
        plain: "#e6edf3",
        dim: "#8b949e",
        red: "#ff7b72",
        green: "#56d364",
        yellow: "#e3b341",
    },
];

/// Tenths of a pixel, so that no number depends on rounding.
const COLUMN: usize = 78;
const LINE: usize = 180;
const EDGE: usize = 160;

/// The picture of a coloured screen of so many columns.
pub(crate) fn of(screen: &str, columns: usize, look: &Look) -> String {
    let px = |tenths: usize| format!("{}.{}", tenths / 10, tenths % 10);
    let lines: Vec<&str> = screen.lines().collect();
    let width = px(2 * EDGE + columns * COLUMN);
    let height = px(2 * EDGE + lines.len() * LINE);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         font-family=\"ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace\" \
         font-size=\"13\" fill=\"{}\">\n<rect width=\"100%\" height=\"100%\" rx=\"6\" fill=\"{}\"/>\n",
        look.plain, look.ground
    );
    for (at, line) in lines.iter().enumerate() {
        let y = px(EDGE + at * LINE + 130);
        let mut column = 0;
        for (style, text) in spans(line) {
            let attributes = attributes(style, look);
            // Words stand at their columns, whatever the font's width.
            for (offset, word) in words(text) {
                let x = px(EDGE + (column + offset) * COLUMN);
                let length = px(word.chars().count() * COLUMN);
                let word = escaped(word);
                let _ = writeln!(
                    out,
                    "<text x=\"{x}\" y=\"{y}\" textLength=\"{length}\"{attributes}>{word}</text>"
                );
            }
            column += text.chars().count();
        }
    }
    out.push_str("</svg>\n");
    out
}

/// The pieces of a line with the codes that colour them.
fn spans(line: &str) -> Vec<(&str, &str)> {
    let mut parts = line.split("\u{1b}[");
    let mut all: Vec<(&str, &str)> = parts.next().map(|first| ("0", first)).into_iter().collect();
    all.extend(parts.filter_map(|part| part.split_once('m')));
    all
}

fn attributes(style: &str, look: &Look) -> String {
    let colour = match style {
        "2" => look.dim,
        "31" | "1;31" => look.red,
        "32" => look.green,
        "33" => look.yellow,
        _ => look.plain,
    };
    let weight = if style.starts_with('1') {
        " font-weight=\"bold\""
    } else {
        ""
    };
    if colour == look.plain {
        weight.to_owned()
    } else {
        format!(" fill=\"{colour}\"{weight}")
    }
}

/// The words of a text, parted where two spaces are, with their columns.
fn words(text: &str) -> Vec<(usize, &str)> {
    let mut all = Vec::new();
    let mut column = 0;
    for part in text.split("  ") {
        let lead = part.chars().take_while(|c| *c == ' ').count();
        let word = part.trim();
        if !word.is_empty() {
            all.push((column + lead, word));
        }
        column += part.chars().count() + 2;
    }
    all
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}
