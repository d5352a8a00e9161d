//! Texts damaged at random, always the same way.

/// A small generator of numbers that are the same everywhere.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn roll(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub(crate) fn below(&mut self, end: usize) -> usize {
        let end = u64::try_from(end.max(1)).expect("small");
        usize::try_from(self.roll() % end).expect("small")
    }
}

/// What bad input is made of.
const PIECES: &[&str] = &[
    "\n",
    "\n---\n",
    "...\n",
    ": ",
    "- ",
    "? ",
    "[",
    "]",
    "{",
    "}",
    ",",
    "'",
    "\"",
    "\\",
    "#",
    "|\n",
    ">\n",
    "&a ",
    "*a",
    "<<: *a\n",
    "!!str ",
    "!x ",
    "~",
    "null",
    "yes",
    "on",
    "-1",
    "0",
    "1e999",
    "99999999999999999999999999",
    "0x",
    "1_0",
    "12:30:45",
    "2026-01-01",
    ".inf",
    "1Gi",
    "1.5",
    "-0",
    "\t",
    "\r\n",
    "\u{feff}",
    "\u{85}",
    "\u{2028}",
    "\u{1b}[31m",
    "ß",
    "😀",
    "\0",
    "%YAML 1.1\n",
    "=",
    "\u{e000}",
    "@",
    "`",
    "apiVersion: planner/v1\n",
    "kind: List\nitems:\n",
    "kind: Cluster\n",
    "metadata:\n",
    "name: x\n",
    "spec: []\n",
    "spec:\n",
    "status: {}\n",
    "a: &a [*a]\n",
    "\"\\e\"",
];

/// Damages a text in a few places, with parts of another one among others.
pub(crate) fn mutate(text: &mut Vec<u8>, other: &[u8], dice: &mut Dice) {
    for _ in 0..=dice.below(4) {
        let at = dice.below(text.len() + 1);
        let end = (at + dice.below(40)).min(text.len());
        let piece = PIECES[dice.below(PIECES.len())].as_bytes();
        match dice.below(9) {
            0 => drop(text.drain(at..end)),
            1 => drop(text.splice(at..at, piece.iter().copied())),
            2 | 3 => drop(text.splice(at..end, piece.iter().copied())),
            4 => {
                let again = text[at..end].to_vec();
                text.splice(at..at, again);
            }
            5 => {
                let from = dice.below(other.len() + 1);
                let to = (from + dice.below(300)).min(other.len());
                text.splice(at..end, other[from..to].iter().copied());
            }
            6 if at < text.len() => text[at] = u8::try_from(dice.below(256)).expect("a byte"),
            7 => text.truncate(at),
            _ => {
                // A scalar after a colon, where it hurts most.
                let colons = text.windows(2).enumerate().filter(|(_, two)| *two == b": ");
                let colons: Vec<usize> = colons.map(|(at, _)| at + 2).collect();
                if colons.is_empty() {
                    continue;
                }
                let at = colons[dice.below(colons.len())];
                let rest = text[at..].iter().position(|byte| b"\n,}]".contains(byte));
                let end = rest.map_or(text.len(), |rest| at + rest);
                text.splice(at..end, piece.iter().copied());
            }
        }
    }
}
