#!/usr/bin/env python3
"""Validates the same 10 000 small documents with planner and with other tools, in turn.

    cargo build --profile dist
    cargo bench --bench speed -- documents        # writes the documents
    python3 benches/peers/run.py target/dist/planner

yamllint and check-jsonschema are installed from PyPI into a virtual environment below target/;
kubeconform is used if it is on the PATH. A tool that is not there is named and left out. Every
tool runs three times; the median of its wall and processor seconds counts. What each checks
differs: yamllint looks at style alone, check-jsonschema and kubeconform at the structure of each
document by the same schemas, planner also at what the documents say about each other.
"""

import os
import resource
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SITES = ROOT / "target" / "tmp" / "speed"
HOME = ROOT / "target" / "peers"
RUNS = 3


def environment():
    """A virtual environment with the tools from PyPI."""
    python = HOME / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", HOME], check=True)
    for tool in ("yamllint", "check-jsonschema"):
        if not (HOME / "bin" / tool).exists():
            command = [python, "-m", "pip", "install", "--quiet", tool]
            if subprocess.run(command).returncode != 0:
                print(f"{tool}: could not be installed")


def measure(command, environ=None):
    """The median wall and processor seconds of a command, or None if it fails to check."""
    walls, processors = [], []
    for _ in range(RUNS):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        start = time.monotonic()
        done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environ)
        walls.append(time.monotonic() - start)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        processors.append(
            after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
        )
        # 1 is an answer about the documents.
        if done.returncode not in (0, 1):
            print(f"{command[0]}: exit status {done.returncode}")
            print(done.stderr.decode(errors="replace")[-500:])
            return None
    return statistics.median(walls), statistics.median(processors)


def version(command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.stdout.decode().strip().splitlines()[0]


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    planner = Path(sys.argv[1]).resolve()
    one = SITES / "one-file-10000"
    many = SITES / "many-files-10000"
    if not many.is_dir() or not one.is_dir():
        sys.exit("the documents are not there: cargo bench --bench speed -- documents")
    environment()
    schema = HOME / "site.schema.json"
    with schema.open("wb") as out:
        subprocess.run([planner, "schema", "site"], stdout=out, check=True)
    files = sorted(many.iterdir())
    tools = [
        ("planner, one file", [planner, "--version"], [planner, "validate", "-o", "concise", one]),
        ("planner, 10 000 files", None, [planner, "validate", "-o", "concise", many]),
    ]
    yamllint = HOME / "bin" / "yamllint"
    if yamllint.exists():
        relaxed = [yamllint, "-d", "relaxed"]
        tools += [
            ("yamllint, one file", [yamllint, "--version"], [*relaxed, one]),
            ("yamllint, 10 000 files", None, [*relaxed, many]),
        ]
    check = HOME / "bin" / "check-jsonschema"
    if check.exists():
        command = [check, "--schemafile", schema, *files]
        tools.append(("check-jsonschema, 10 000 files", [check, "--version"], command))
    kubeconform = shutil.which("kubeconform")
    if kubeconform:
        command = [kubeconform, "-n", str(os.cpu_count()), "-schema-location", schema, one]
        tools.append(("kubeconform, one file", [kubeconform, "-v"], command))
    else:
        print("kubeconform: not on the PATH, left out")
    for name, ask, command in tools:
        if ask:
            print(version(ask))
        measured = measure(command)
        if measured:
            print(f"{name}: {measured[0]:.3f} s, {measured[1]:.3f} s of processors")


if __name__ == "__main__":
    main()
