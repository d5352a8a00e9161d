#!/usr/bin/env python3
"""Whether two builds of planner say the same, byte for byte.

    python3 benches/outputs.py [--kinds] [--every N] OLD NEW PATH...

Every file and folder below each PATH that is no deeper than three levels is given to every command
that takes a site, by both builds, with output for people and as data. Prints what differs and ends
with 1 if anything does; DIFF=1 in the environment shows the differences.

--kinds prints each kind of difference once, how often it occurs and the first call that shows it.
JSON and YAML are compared as data: the field that differs, and what it holds with names and
numbers left out. Lines for people are compared with names and numbers left out. --every N takes
every Nth path only.
"""

import argparse
import difflib
import json
import os
import re
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

NOW = ["--now", "2026-01-01T00:00:00Z"]
CALLS = [
    ["validate", "-o", "json", *NOW],
    ["validate", "-o", "full", *NOW],
    ["plan", "-o", "json", "--no-input", *NOW],
    ["plan", "--no-input", *NOW],
    ["plan", "-o", "yaml", "--no-input", *NOW],
    ["plan", "--section", "placements", "--no-input", *NOW],
    ["plan", "--against", ".", "--no-input", *NOW],
    ["simulate", "-o", "json", *NOW],
    ["simulate", *NOW],
    ["risk", *NOW],
    ["risk", "-o", "json", *NOW],
    ["test", *NOW],
    ["test", "-o", "json", *NOW],
    ["graph", *NOW],
]
DEPTH = 3
SECONDS = 300


def places(root):
    """The root and what is below it."""
    yield root
    if root.is_dir():
        for path in sorted(root.rglob("*")):
            near = len(path.relative_to(root).parts) <= DEPTH
            if near and (path.is_dir() or path.suffix in (".yaml", ".yml", ".json")):
                yield path


def answer(program, call, path):
    command = [program, *call, str(path)]
    done = subprocess.run(command, capture_output=True, stdin=subprocess.DEVNULL, timeout=SECONDS)
    return done.returncode, done.stdout, done.stderr


def shape(text):
    """A line without names, numbers and places."""
    text = re.sub(r"`[^`]*`|\"[^\"]*\"", "`_`", text)
    text = re.sub(r"\S*/\S*|\S+\.(?:ya?ml|json)\S*", "PATH", text)
    return re.sub(r"\d[\d.]*\w*", "N", " ".join(text.split()))


def fields(value, at=""):
    """Each value of some data under the path of its fields, places in lists left out."""
    if isinstance(value, dict):
        for key, below in value.items():
            yield from fields(below, f"{at}.{key}" if at.count(".") < 4 else at)
    elif isinstance(value, list):
        for below in value:
            yield from fields(below, f"{at}[]")
    else:
        yield f"{at}: {shape(str(value))}"


def lines(text):
    """What an output says, as lines that can be counted."""
    text = text.decode(errors="replace")
    try:
        return Counter(fields(json.loads(text)))
    except ValueError:
        # The lines around a finding show the document, not what is said of it.
        said = (line for line in text.splitlines() if not set(line) & set("│╭╰┬·"))
        return Counter(filter(None, map(shape, said)))


def kinds(job):
    old, new, call, path = job
    before, after = answer(old, call, path), answer(new, call, path)
    if before[0] != after[0]:
        yield f"status {before[0]} -> {after[0]}"
    for one, other in zip(before[1:], after[1:]):
        if one != other:
            one, other = lines(one), lines(other)
            gone, come = sorted((one - other)), sorted((other - one))
            # A line that reads otherwise is one difference, not two.
            for was in list(gone):
                close = difflib.get_close_matches(was, come, 1, 0.7) if len(come) < 200 else []
                if close:
                    gone.remove(was)
                    come.remove(close[0])
                    yield f"~ {was[:160]}\n    > {close[0][:160]}"
            yield from (f"- {line[:160]}" for line in gone)
            yield from (f"+ {line[:160]}" for line in come)


def differs(job):
    old, new, call, path = job
    before, after = answer(old, call, path), answer(new, call, path)
    if before == after:
        return None
    shown = ""
    if os.environ.get("DIFF"):
        if before[0] != after[0]:
            shown += f"\n  status {before[0]} -> {after[0]}"
        for stream, one, other in zip(("out", "err"), before[1:], after[1:]):
            lines = (text.decode(errors="replace").splitlines() for text in (one, other))
            diff = difflib.unified_diff(*lines, f"{stream} before", f"{stream} after", "", "", 0, "")
            shown += "".join(f"\n  {line[:200]}" for line in diff)
    return f"{' '.join(call)} {path}{shown}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kinds", action="store_true")
    parser.add_argument("--every", type=int, default=1, metavar="N")
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("roots", nargs="+", metavar="PATH", type=Path)
    args = parser.parse_args()
    paths = [path for root in args.roots for path in places(root)][:: args.every]
    jobs = [(args.old, args.new, call, path) for path in paths for call in CALLS]
    if args.kinds:
        return print_kinds(jobs)
    with ThreadPoolExecutor(2) as threads:
        found = [found for found in threads.map(differs, jobs) if found]
    for line in found:
        print(f"differs: {line}")
    print(f"{len(jobs)} calls of both, {len(found)} differ")
    sys.exit(1 if found else 0)


def print_kinds(jobs):
    found, first, calls = Counter(), {}, 0
    with ThreadPoolExecutor(2) as threads:
        for job, all_kinds in zip(jobs, threads.map(lambda job: list(kinds(job)), jobs)):
            calls += bool(all_kinds)
            for kind in all_kinds:
                found[kind] += 1
                first.setdefault(kind, job)
    for kind, count in found.most_common():
        _, _, call, path = first[kind]
        print(f"{count:6} {kind}\n       {' '.join(call)} {path}")
    print(f"{len(jobs)} calls of both, {calls} differ, {len(found)} kinds")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
