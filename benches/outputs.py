#!/usr/bin/env python3
"""Whether two builds of planner say the same, byte for byte.

    python3 benches/outputs.py OLD NEW PATH...

Every file and folder below each PATH that is no deeper than three levels is given to every command
that takes a site, by both builds, with output for people and as data. Prints what differs and ends
with 1 if anything does; DIFF=1 in the environment shows the differences.
"""

import difflib
import os
import subprocess
import sys
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
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    old, new, *roots = sys.argv[1:]
    paths = [path for root in roots for path in places(Path(root))]
    jobs = [(old, new, call, path) for path in paths for call in CALLS]
    with ThreadPoolExecutor(2) as threads:
        found = [found for found in threads.map(differs, jobs) if found]
    for line in found:
        print(f"differs: {line}")
    print(f"{len(jobs)} calls of both, {len(found)} differ")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
