"""Writes texts to read, one JSON string a line: data in every presentation that YAML has for it,
and documents with damage. The same seed gives the same texts.

    cases.py PRESENTATIONS DAMAGED SEED FOLDER...

Files of the FOLDERs are what is damaged, beside presentations.
"""

import json
import pathlib
import random
import sys

WORDS = """a b c key name x-y a.b/c é 日本 true no y Null ~ null 1 0 -1 +2 012 0o17 0x1f 0x_ 0b101 0b_
1_000 1.5 .5 -.5 1e3 1.0e+3 6.8523015e+5 1:30 190:20:30 .inf -.inf .nan 16Gi 100m 2020-01-01 2020-02-30
2001-12-14t21:59:43.10-05:00 2020-1-1 = << http://x/?q=1 a:b a#b #c -x ?x :x x: - -- a,b [x {x *x &x !x % @x `x
yes on off N 9223372036854775808 99999999999999999999 -9223372036854775809 0.1 1. 08 0_8 +.5 ._5 1__0 0xFFFFFFFFFFFFFFFFF 0b+1 1_ 0x
18446744073709551616 0o8 2020-01-01T00:00:00Z on: a? ?? -? [] {}""".split()
SENTENCES = ["two words", "a  b", "trailing ", " leading", "it's", 'say "x"', "a: b", "a #b", "line\nbreak", "end\n",
             "two\n\nbreaks", "tab\there", "x\u2028y", "x\x85y", "", "\n", "a\n  b\nc\n", "back\\slash", "\ta", "\ufeffx",
             "\u00e9t\u00e9", "a\n\n", "/", "a\u2029b", "---", "...", "--- a", "%x", "long " * 30 + "x"]
TAGS = ["!!str ", "!!int ", "!!float ", "!!bool ", "!!null ", "!!binary ", "!!timestamp ", "!x ", "! ", "!<tag:yaml.org,2002:str> ",
        "!!map ", "!!seq ", "!!set ", "!a!b ", "!!str\t", "!x.y "]


class Writer:
    """One document in one presentation; now and then it leaves the path of plain YAML."""

    def __init__(self, dice):
        self.dice = dice
        self.anchors = []
        self.odd = dice.random() < 0.5
        self.newline = dice.choice(["\n"] * 12 + ["\r\n", "\r", "\x85", "\u2028"]) if self.odd else "\n"

    def rare(self, chance=0.05):
        return self.odd and self.dice.random() < chance

    def text(self):
        return self.dice.choice(WORDS) if self.dice.random() < 0.7 else self.dice.choice(SENTENCES)

    def data(self, depth):
        dice = self.dice
        kind = dice.random()
        if depth <= 0 or kind < 0.45:
            return self.text()
        if kind < 0.75:
            return {self.text(): self.data(depth - 1) for _ in range(dice.randint(0, 4))}
        return [self.data(depth - 1) for _ in range(dice.randint(0, 4))]

    def comment(self):
        if self.dice.random() < 0.9:
            return ""
        blank = self.dice.choice([" ", "  ", "\t", ""]) if self.odd else " "
        return blank + "#" + self.dice.choice([" c", "c", " a: b", "\tc", ""])

    def gap(self):
        return self.dice.choice(["\t", "  ", " \t"]) if self.rare() else " "

    def before(self):
        dice = self.dice
        out = ""
        if self.rare(0.06):
            name = dice.choice(["a", "b", "c-d", "e_1"])
            self.anchors.append(name)
            out += "&" + name + self.gap()
        if self.rare(0.05):
            out = dice.choice(TAGS) + out if dice.random() < 0.5 else out + dice.choice(TAGS)
        return out

    def double(self, text):
        out = []
        for c in text:
            if c in '"\\':
                out.append("\\" + c)
            elif c == "\n":
                out.append(self.dice.choice(["\\n", "\\n", "\n\n  "]) if self.odd else "\\n")
            elif c == "\t":
                out.append(self.dice.choice(["\\t", "\t"]))
            elif c == " " and self.rare(0.1):
                out.append(self.dice.choice(["\n", "\n  ", "\n\t", " \\\n  ", "\\ ", "\\\n \\ "]))
            elif c == "/" and self.rare(0.3):
                out.append("\\/")
            elif ord(c) > 126 or self.rare(0.03):
                out.append(self.dice.choice([c, "\\u%04x" % ord(c), "\\U%08x" % ord(c)]))
            else:
                out.append(c)
        return '"' + "".join(out) + '"'

    def single(self, text):
        text = text.replace("'", "''")
        if self.rare(0.2):
            text = text.replace(" ", self.dice.choice(["\n", "\n ", "\n\t", "  "]), 1)
        return "'" + text.replace("\n", "\n\n") + "'"

    def inline(self, text):
        dice = self.dice
        if text in WORDS and dice.random() < 0.8:
            return text
        kind = dice.random()
        if kind < 0.2:
            return text
        return self.double(text) if kind < 0.65 else self.single(text)

    def block(self, text, indent):
        dice = self.dice
        width = dice.choice([1, 2, 2, 4])
        pad = " " * (indent + width)
        head = dice.choice("||>")
        if self.rare(0.3) or text.startswith((" ", "\n")):
            head += dice.choice([str(width), str(width), str(width % 4 + 1)])
        head += dice.choice(["", "-", "+"])
        lines = text.split("\n")
        body = [(pad if line or self.rare(0.2) else "") + line for line in lines]
        if self.rare(0.1):
            body.insert(dice.randint(0, len(body)), dice.choice(["", " ", "\t", pad + " ", pad + "\t", " " * indent + "# c"]))
        head += self.comment() or (dice.choice(["\t", " ", "#c"]) if self.rare(0.05) else "")
        return "\n".join([head] + body) + dice.choice(["", "", "\n"])

    def flow(self, data):
        dice = self.dice
        if self.anchors and self.rare(0.1):
            return "*" + dice.choice(self.anchors) + dice.choice([" ", " ", ""])
        space = lambda: dice.choice(["", " ", " ", "\n ", "\n", "\t", " # c\n", "#c\n"]) if self.rare(0.2) else dice.choice(["", " "])
        if isinstance(data, dict):
            parts = []
            for key, value in data.items():
                name = self.inline(key)
                style = dice.random() if self.odd else 0.5
                if style < 0.04:
                    part = "?" + dice.choice(["", " "]) + name + space() + ":" + space() + self.flow(value)
                elif style < 0.07:
                    part = name
                elif style < 0.1:
                    part = name + ":" + self.flow(value)
                elif style < 0.12:
                    part = name + space() + ":" + space() + self.flow(value)
                else:
                    part = name + ": " + self.flow(value)
                parts.append(part)
            text = "{" + space() + ("," + dice.choice(["", " "])).join(parts) + space() + "}"
        elif isinstance(data, list):
            parts = [self.flow(item) for item in data]
            if self.rare(0.1) and parts:
                parts[-1] = dice.choice(["? ", "", "?"]) + parts[-1] + dice.choice([": x", ":", ""])
            text = "[" + space() + (space() + "," + space()).join(parts) + dice.choice(["", "", ","]) + space() + "]"
        else:
            text = self.inline(data)
        return self.before() + text

    def node(self, data, indent, inside):
        """What follows `key:` or `-`, from the blank on."""
        dice = self.dice
        if self.anchors and self.rare(0.06):
            return " *" + dice.choice(self.anchors) + "\n"
        if isinstance(data, str):
            if dice.random() < 0.15:
                return self.gap() + self.before() + self.block(data, indent) + "\n"
            if self.rare(0.05):
                return "\n" + " " * (indent + dice.randint(0, 3)) + self.inline(data) + "\n"
            text = self.inline(data)
            if self.rare(0.1):
                text = text.replace(" ", "\n" + dice.choice(["", "\t"]) + " " * (indent + dice.randint(0, 3)), 1)
            return self.gap() + self.before() + text + self.comment() + "\n"
        if not data or dice.random() < 0.25:
            return self.gap() + self.flow(data) + self.comment() + "\n"
        step = dice.choice([1, 2, 2, 2, 4])
        if isinstance(data, list) and inside == "mapping" and dice.random() < 0.5:
            step = 0
        head = " " + self.before() if self.rare(0.1) else ""
        if inside == "sequence" and not head and dice.random() < 0.6:
            return " " * step + self.rows(data, indent + 1 + step)[indent + 1 + step:] if step else "\n" + self.rows(data, indent + 2)
        return head + self.comment() + "\n" + self.rows(data, indent + step)

    def rows(self, data, indent):
        dice = self.dice
        out = ""
        pad = " " * indent
        entries = list(data.items()) if isinstance(data, dict) else [(None, item) for item in data]
        for key, value in entries:
            if self.rare(0.04):
                out += dice.choice(["\n", "# c\n", pad + "# c\n", "  \n", "\t\n", pad + "\t\n", "\ufeff\n"])
            row = " " * max(0, indent + dice.choice([-1, 1])) if self.rare(0.01) else pad
            if key is None:
                out += row + "-" + self.node(value, indent, "sequence")
            else:
                if self.rare(0.04) and self.anchors:
                    target = "*" + dice.choice(self.anchors)
                    out += pad + "<<: " + dice.choice([target, "[" + target + "]", "[" + target + ", {a: 1}]"]) + "\n"
                name = self.inline(key)
                if self.rare(0.03):
                    out += row + "? " + name + "\n" + row + ":" + self.node(value, indent, "mapping")
                elif self.rare(0.02):
                    out += row + "? " + name + "\n"
                else:
                    colon = dice.choice([" :", "\t:", ":"]) if self.rare() else ":"
                    out += row + self.before() + name + colon + self.node(value, indent, "mapping")
        if not entries:
            out = pad + ("{}" if isinstance(data, dict) else "[]") + "\n"
        return out

    def document(self):
        dice = self.dice
        data = self.data(dice.randint(1, 3))
        if isinstance(data, str) and dice.random() < 0.8:
            data = {"a": data}
        head = dice.choice(["", "", "", "---\n", "--- # c\n"])
        if self.rare(0.04):
            head = dice.choice(["%YAML 1.1\n---\n", "%YAML 1.2\n---\n", "%TAG !a! tag:x,2000:\n---\n", "\ufeff", "--- ", "---\t", "%X y\n---\n"])
        if isinstance(data, str):
            text = self.node(data, 0, None).lstrip(" ")
        elif dice.random() < 0.2:
            text = self.flow(data) + "\n"
        else:
            text = self.rows(data, dice.choice([0, 0, 0, 2]))
        text = head + text
        if dice.random() < 0.2:
            text = text.rstrip("\n")
        if self.rare(0.03):
            text += "\n..." + dice.choice(["", "\n"])
        return text.replace("\n", self.newline)


TOKENS = ["a", "b", "1", ": ", ":", ":\n", "- ", "-", "-\n", "? ", "?", "[", "]", "{", "}", ",", ", ", "#", " #", "# c\n", "'", '"',
          "''", "\\n", "\\", "\n", "\n", "\n  ", "\n ", "  ", " ", "\t", "|", ">", "|-\n", ">+\n", "|2\n", "&a ", "*a", "!x ", "!!str ",
          "!", "<<", "<<: *a\n", "a: b\n", "- a\n", "---\n", "\n---\n", "...", "\n...\n", "%", "%YAML 1.1\n", "=", "~", "\r", "\r\n", "\x85",
          "\u2028", "\ufeff", "@", "`", "é", "null", "x y", "0x_", ".inf", "\\/", "\\'", "\\\n", "\x07", "a:\n", "  a: b\n", "[a, b]", "{a: b}"]


def soup(dice):
    return "".join(dice.choice(TOKENS) for _ in range(dice.randint(1, 14)))


def damage(text, dice):
    for _ in range(dice.choice([1, 1, 1, 2, 3])):
        at = dice.randint(0, len(text))
        what = dice.random()
        if what < 0.45:
            text = text[:at] + dice.choice(TOKENS) + text[at:]
        elif what < 0.7:
            text = text[:at] + text[at + dice.choice([1, 1, 1, 2, 5]):]
        elif what < 0.8:
            text = text[:at]
        elif what < 0.9:
            lines = text.split("\n")
            line = dice.randrange(len(lines))
            lines[line] = " " * dice.randint(1, 3) + lines[line] if dice.random() < 0.6 else lines[line].lstrip()
            text = "\n".join(lines)
        else:
            end = min(len(text), at + dice.randint(1, 10))
            text = text[:end] + text[at:end] + text[end:]
    return text


def seeds(folders):
    found = []
    for folder in folders:
        for path in sorted(pathlib.Path(folder).rglob("*.yaml")):
            try:
                text = path.read_text(encoding="utf-8")
            except (UnicodeDecodeError, OSError):
                continue
            for document in text.split("\n---\n")[:4]:
                found.append(document[:600].rsplit("\n", 1)[0] + "\n")
    return found


def main():
    presentations, damaged, seed = (int(argument) for argument in sys.argv[1:4])
    dice = random.Random(seed)
    files = seeds(sys.argv[4:])
    for _ in range(presentations):
        print(json.dumps(Writer(dice).document()))
    for _ in range(damaged):
        what = dice.random()
        if what < 0.2:
            text = soup(dice)
        elif what < 0.6 or not files:
            text = damage(Writer(dice).document(), dice)
        else:
            text = damage(dice.choice(files), dice)
        print(json.dumps(text))


main()
