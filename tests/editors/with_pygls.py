"""The language server and pygls: columns in bytes."""

import asyncio
import json
import logging
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from lsprotocol import types
from pygls.lsp.client import BaseLanguageClient

PLANNER = os.environ["PLANNER_BIN"]
HERE = pathlib.Path(__file__).resolve().parent
COMMAND = [PLANNER, "lsp", "--now", "2026-01-01T00:00:00Z"]


class Client(BaseLanguageClient):
    def __init__(self):
        super().__init__("planner-test", "1")
        self.published = []
        published = lambda params: self.published.append(params)
        self.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)(published)
        self.feature(types.WINDOW_LOG_MESSAGE)(lambda params: None)
        self.feature(types.CLIENT_REGISTER_CAPABILITY)(lambda params: None)

    async def diagnostics(self, uri, version):
        for _ in range(600):
            for one in reversed(self.published):
                if one.uri == uri and one.version == version:
                    return one.diagnostics
            await asyncio.sleep(0.05)
        raise AssertionError(f"no diagnostics of {uri}, version {version}")


def site():
    home = pathlib.Path(tempfile.mkdtemp(prefix="planner")).resolve()
    shutil.copytree(HERE / "site", home, dirs_exist_ok=True)
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b"]
    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "a"]):
        subprocess.run(git + words, cwd=home, check=True)
    return home


async def started(home, encodings):
    client = Client()
    await client.start_io(*COMMAND)
    answer = await client.initialize_async(types.InitializeParams(
        process_id=None,
        root_uri=home.as_uri(),
        capabilities=types.ClientCapabilities(
            general=types.GeneralClientCapabilities(position_encodings=encodings),
            workspace=types.WorkspaceClientCapabilities(
                did_change_watched_files=types.DidChangeWatchedFilesClientCapabilities(
                    dynamic_registration=True)),
        ),
    ))
    client.initialized(types.InitializedParams())
    return client, answer.capabilities


def opened(client, uri, text):
    client.text_document_did_open(types.DidOpenTextDocumentParams(
        types.TextDocumentItem(uri, types.LanguageKind.Yaml, 1, text)))


def changed(client, uri, version, text):
    client.text_document_did_change(types.DidChangeTextDocumentParams(
        types.VersionedTextDocumentIdentifier(version, uri),
        [types.TextDocumentContentChangeWholeDocument(text)]))


def place(text, part):
    at = text.index(part)
    start = text.rfind("\n", 0, at) + 1
    return types.Position(text.count("\n", 0, at), len(text[start:at].encode()))


def applied(text, edits):
    lines = [line.encode() for line in text.split("\n")]
    for edit in sorted(edits, key=lambda edit: edit.range.start.line, reverse=True):
        start, end = edit.range.start, edit.range.end
        assert start.line == end.line
        line = lines[start.line]
        lines[start.line] = line[:start.character] + edit.new_text.encode() + line[end.character:]
    return b"\n".join(lines).decode()


async def conversation():
    home = site()
    client, can = await started(home, ["utf-16", "utf-8"])
    assert can.position_encoding == "utf-8", can.position_encoding
    path = home / "site.yaml"
    uri, text = path.as_uri(), path.read_text()
    opened(client, uri, text)
    found = await client.diagnostics(uri, 1)
    assert [one.code for one in found] == ["schema::type"], found
    assert found[0].range.start == place(text, "yes"), found[0].range
    document = types.TextDocumentIdentifier(uri)

    actions = await client.text_document_code_action_async(types.CodeActionParams(
        document, found[0].range, types.CodeActionContext(found)))
    fix = next(action for action in actions if action.is_preferred)
    (edits,) = fix.edit.changes.values()
    mended = applied(text, edits)
    assert 'up: "yes"' in mended, mended
    changed(client, uri, 2, mended)
    assert not await client.diagnostics(uri, 2)

    shop = (home / "shop.yaml").as_uri()
    shop_text = (home / "shop.yaml").read_text()
    opened(client, shop, shop_text)
    await client.diagnostics(shop, 1)
    shop_document = types.TextDocumentIdentifier(shop)
    lenses = await client.text_document_code_lens_async(types.CodeLensParams(shop_document))
    assert lenses[0].command.title.startswith("→ oslo (lowest cost (5))"), lenses
    at = place(shop_text, "web}")
    hover = await client.text_document_hover_async(types.HoverParams(shop_document, at))
    assert "shop/web: oslo" in hover.contents.value, hover
    at = place(shop_text, "retail")
    found = await client.text_document_definition_async(types.DefinitionParams(shop_document, at))
    assert [(one.uri, one.range.start.line) for one in found] == [(uri, 3)], found
    command = types.ExecuteCommandParams("planner.why", lenses[0].command.arguments)
    said = await client.workspace_execute_command_async(command)
    assert said.startswith("shop/web: oslo"), said

    # Many changes end with the last.
    before = len(client.published)
    for version in range(3, 23):
        changed(client, uri, version, mended + f"# {version}\n")
        await asyncio.sleep(0.02)
    await client.diagnostics(uri, 22)
    await asyncio.sleep(0.5)
    of_file = [one for one in client.published[before:] if one.uri == uri]
    assert len(of_file) <= 3 and of_file[-1].version == 22, [one.version for one in of_file]

    # A question about a file that has just changed is answered from its newest text, or not.
    changed(client, uri, 23, mended)
    cancelled = asyncio.ensure_future(client.text_document_hover_async(
        types.HoverParams(document, place(mended, "oslo"))))
    await asyncio.sleep(0)
    cancelled.cancel()
    await client.diagnostics(uri, 23)

    # Another name for a file.
    moved = home / "moved.yaml"
    client.text_document_did_close(types.DidCloseTextDocumentParams(document))
    path.rename(moved)
    moved.write_text(text)
    client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([
        types.FileEvent(uri, types.FileChangeType.Deleted),
        types.FileEvent(moved.as_uri(), types.FileChangeType.Created),
    ]))
    await client.diagnostics(moved.as_uri(), None)
    await client.shutdown_async(None)
    client.exit(None)
    status = await asyncio.wait_for(client._server.wait(), 5)
    assert status == 0, status


def framed(message):
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)


def ends():
    initialize = framed({"id": 1, "method": "initialize", "params": {"capabilities": {}}})
    exit = framed({"method": "exit"})

    def begun():
        return subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    child = begun()
    child.communicate(initialize + exit, timeout=5)
    assert child.returncode == 1, child.returncode
    child = begun()
    child.stdin.write(initialize)
    child.stdin.flush()
    child.stdout.readline()
    start = time.monotonic()
    child.stdin.close()
    child.wait(timeout=5)
    assert time.monotonic() - start < 1, time.monotonic() - start
    child = begun()
    child.send_signal(signal.SIGKILL)
    assert child.wait(timeout=5) == -signal.SIGKILL


# pygls complains about the answer to a question that it has cancelled.
logging.disable(logging.CRITICAL)
asyncio.run(asyncio.wait_for(conversation(), 120))
ends()
print("pygls: passed")
