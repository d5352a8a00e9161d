#!/usr/bin/env python3
"""Reads the same 10 000 small documents with planner and with other tools, in turn.

    cargo build --profile dist
    cargo bench --bench speed -- documents        # writes the documents
    python3 benches/peers/run.py target/dist/planner

yamllint and check-jsonschema are installed from PyPI into a virtual environment below target/,
yaml-language-server from the registry of npm; kubeconform and kubectl are used if they are on the
PATH. A tool that is not there is named and left out. Every tool runs three times; the median of its
wall and processor seconds counts. What each checks differs: yamllint looks at style alone,
check-jsonschema, kubeconform and yaml-language-server at the structure of each document by the same
schemas, planner also at what the documents say about each other. `kubectl kustomize` and
`planner render` build a kustomization that lists the one file. Servers are timed from the moment
that an editor opens the file until its diagnostics come.
"""

import json
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
SERVER = HOME / "node" / "node_modules" / ".bin" / "yaml-language-server"
RUNS = 3
# Seconds that a tool may take.
LIMIT = 120


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


    if not SERVER.exists():
        command = ["npm", "install", "--silent", "--prefix", HOME / "node", "yaml-language-server"]
        if not shutil.which("npm") or subprocess.run(command).returncode != 0:
            print("yaml-language-server: could not be installed")


def measure(run):
    """The median wall and processor seconds of three runs, or None if one fails."""
    walls, processors = [], []
    for _ in range(RUNS):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        wall = run()
        if wall is None:
            return None
        walls.append(wall)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        processors.append(
            after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
        )
    return statistics.median(walls), statistics.median(processors)


def called(command):
    """Runs a command to its end; the wall seconds, or None if it fails to check."""
    start = time.monotonic()
    try:
        done = subprocess.run(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=LIMIT
        )
    except subprocess.TimeoutExpired:
        print(f"{command[0]}: more than {LIMIT} s")
        return None
    wall = time.monotonic() - start
    # 1 is an answer about the documents.
    if done.returncode not in (0, 1):
        print(f"{command[0]}: exit status {done.returncode}")
        print(done.stderr.decode(errors="replace")[-500:])
        return None
    return wall


def opened(command, file, schema):
    """Opens a file in a language server; the wall seconds until its diagnostics come."""
    server = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )

    def send(message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        server.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        server.stdin.flush()

    def receive():
        length = 0
        while line := server.stdout.readline().strip():
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        return json.loads(server.stdout.read(length))

    # The server of npm asks for settings section by section.
    settings = {"yaml": {"schemas": {schema.as_uri(): "*"}, "maxItemsComputed": 10**6}}

    def answer(message):
        if "id" not in message or "method" not in message:
            return
        items = message.get("params", {}).get("items", [])
        result = [settings.get(item.get("section")) for item in items] or None
        send({"id": message["id"], "result": result})

    folder = file.parent.as_uri()
    capabilities = {"workspace": {"configuration": True}, "textDocument": {}}
    parameters = {
        "processId": os.getpid(),
        "rootUri": folder,
        "workspaceFolders": [{"uri": folder, "name": "site"}],
        "capabilities": capabilities,
    }
    send({"id": 1, "method": "initialize", "params": parameters})
    while receive().get("id") != 1:
        pass
    send({"method": "initialized", "params": {}})
    send({"method": "workspace/didChangeConfiguration", "params": {"settings": settings}})
    document = {
        "uri": file.as_uri(),
        "languageId": "yaml",
        "version": 1,
        "text": file.read_text(),
    }
    start = time.monotonic()
    send({"method": "textDocument/didOpen", "params": {"textDocument": document}})
    while True:
        message = receive()
        answer(message)
        told = message.get("params") or {}
        if message.get("method") == "textDocument/publishDiagnostics" and told["uri"] == file.as_uri():
            break
    wall = time.monotonic() - start
    server.stdin.close()
    server.kill()
    server.wait()
    return wall


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
    build = HOME / "build"
    build.mkdir(exist_ok=True)
    (file,) = one.iterdir()
    shutil.copy(file, build / "site.yaml")
    (build / "kustomization.yaml").write_text("resources: [site.yaml]\n")

    def call(*command):
        return lambda: called(command)

    concise = (planner, "validate", "-o", "concise")
    tools = [
        ("planner validate, one file", [planner, "--version"], call(*concise, one)),
        ("planner validate, 10 000 files", None, call(*concise, many)),
        ("planner render", None, call(planner, "render", build)),
        ("planner lsp", None, lambda: opened([planner, "lsp"], file, schema)),
    ]
    yamllint = HOME / "bin" / "yamllint"
    if yamllint.exists():
        relaxed = (yamllint, "-d", "relaxed")
        tools += [
            ("yamllint, one file", [yamllint, "--version"], call(*relaxed, one)),
            ("yamllint, 10 000 files", None, call(*relaxed, many)),
        ]
    check = HOME / "bin" / "check-jsonschema"
    if check.exists():
        run = call(check, "--schemafile", schema, *files)
        tools.append(("check-jsonschema, 10 000 files", [check, "--version"], run))
    if SERVER.exists():
        command = [SERVER, "--stdio"]
        run = lambda: opened(command, file, schema)
        tools.append(("yaml-language-server, one file", None, run))
    kubectl = shutil.which("kubectl")
    if kubectl:
        version_of = [kubectl, "version", "--client"]
        tools.append(("kubectl kustomize", version_of, call(kubectl, "kustomize", build)))
    kubeconform = shutil.which("kubeconform")
    if kubeconform:
        jobs = str(os.cpu_count())
        run = call(kubeconform, "-n", jobs, "-schema-location", schema, one)
        tools.append(("kubeconform, one file", [kubeconform, "-v"], run))
    for name in ("kubectl", "kubeconform"):
        if not shutil.which(name):
            print(f"{name}: not on the PATH, left out")
    for name, ask, run in tools:
        if ask:
            print(version(ask))
        measured = measure(run)
        if measured:
            print(f"{name}: {measured[0]:.3f} s, {measured[1]:.3f} s of processors", flush=True)


if __name__ == "__main__":
    main()
