"""The server for agents with the `mcp` client of PyPI, in both versions of the protocol."""

import asyncio
import json
import os
import pathlib
import subprocess
import sys
import time

import jsonschema
from mcp import StdioServerParameters
from mcp.client.client import Client
from mcp.client.stdio import stdio_client

PLANNER = os.environ["PLANNER_BIN"]
NOW = "2026-01-01T00:00:00Z"
SITES = ["fixtures/site", "fixtures/ocm/fleet"]


def calls(site):
    """What each tool is asked; the last ones are mistakes."""
    subject = {"fixtures/site": "kiosk/kiosk", "fixtures/ocm/fleet": "gov/stores"}[site]
    return [
        ("validate", {}, True),
        ("validate", {"severity": "error"}, True),
        ("plan", {}, True),
        ("plan", {"section": "placements"}, True),
        ("plan", {"section": "deliveries"}, True),
        ("why", {}, True),
        ("diff", {"overlay": {"new.yaml": "kind: Nothing\n"}}, True),
        ("risk", {"top": 3}, True),
        ("explain", {"code": "unbound_set"}, True),
        ("schema", {"kind": "Placement"}, True),
        ("schema", {"kind": "site"}, True),
        ("why", {"subject": f"{subject}-nothing"}, False),
        ("plan", {"path": "../.."}, False),
        ("plan", {"pth": "."}, False),
    ]


async def serve(site, mode):
    server = StdioServerParameters(command=PLANNER, args=["mcp", site, "--now", NOW])
    async with Client(stdio_client(server), mode=mode) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert list(tools) == ["validate", "plan", "why", "diff", "risk", "explain", "schema"], tools
        for tool in tools.values():
            hints = tool.annotations
            assert hints.read_only_hint and not hints.destructive_hint, tool.name
            assert hints.idempotent_hint and not hints.open_world_hint, tool.name
        asked = set()
        for name, arguments, is_fine in calls(site):
            result = await client.call_tool(name, arguments)
            text = result.content[0].text
            assert result.is_error != is_fine, (name, arguments, text)
            if is_fine:
                assert len(text.encode()) <= 20_000, (name, len(text))
                assert json.loads(text) == result.structured_content, name
                jsonschema.validate(result.structured_content, tools[name].output_schema)
            asked.add(name)
        assert asked == set(tools)
        for name in (await client.call_tool("why", {})).structured_content["names"][:10]:
            result = await client.call_tool("why", {"subject": name})
            jsonschema.validate(result.structured_content, tools["why"].output_schema)
        resources = (await client.list_resources()).resources
        assert len(resources) > 20, resources
        for resource in resources:
            assert (await client.read_resource(str(resource.uri))).contents[0].text
        templates = (await client.list_resource_templates()).resource_templates
        assert len(templates) == 3, templates
        rule = await client.read_resource("planner://rules/ocm::unbound_set")
        assert rule.contents[0].text.startswith("# planner::ocm::unbound_set")
        for prompt in (await client.list_prompts()).prompts:
            assert (await client.get_prompt(prompt.name, {"path": "."})).messages
        # Several at once.
        plans = await asyncio.gather(*(client.call_tool("plan", {}) for _ in range(8)))
        assert len({plan.content[0].text for plan in plans}) == 1
    print(f"python, {mode}: {site}: ok")


def strain():
    """Ten thousand calls: how fast they are answered, and what the server holds then."""
    command = [PLANNER, "mcp", "fixtures/retail", "--now", NOW]
    server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    status = pathlib.Path(f"/proc/{server.pid}/status")

    def held():
        if not status.exists():
            return 0
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmRSS:"))
        return int(line.split()[1])

    overlay = {"new.yaml": "kind: Nothing\n"}
    asked = [
        ("plan", {}),
        ("explain", {"code": "unbound_set"}),
        ("validate", {"overlay": overlay}),
        ("schema", {"kind": "Policy"}),
        ("plan", {"overlay": overlay, "section": "applications"}),
    ]

    def ask(first, last):
        for number in range(first, last):
            name, arguments = asked[number % len(asked)]
            params = {"name": name, "arguments": arguments}
            message = {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}
            server.stdin.write(json.dumps(message) + "\n")
            server.stdin.flush()
            answer = json.loads(server.stdout.readline())
            assert answer["id"] == number and not answer["result"]["isError"], answer
        return held()

    few = ask(0, 1_000)
    begun = time.monotonic()
    many = ask(1_000, 10_000)
    rate = 9_000 / (time.monotonic() - begun)
    server.stdin.close()
    assert server.wait(timeout=10) == 0
    assert many <= few * 1.1 + 2_000, f"{few} kB after 1000 calls, {many} kB after 10000"
    print(f"python, 10000 calls: {rate:.0f} a second, {few} kB, then {many} kB: ok")


def latency():
    """A plan of the example site, from request to answer."""
    command = [PLANNER, "mcp", "fixtures/site", "--now", NOW]
    server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    times = []
    for number in range(20):
        params = {"name": "plan", "arguments": {}}
        message = {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}
        begun = time.monotonic()
        server.stdin.write(json.dumps(message) + "\n")
        server.stdin.flush()
        server.stdout.readline()
        times.append(time.monotonic() - begun)
    server.stdin.close()
    server.wait(timeout=10)
    best = min(times) * 1000
    print(f"python, plan of fixtures/site: {best:.0f} ms at best, {sorted(times)[10] * 1000:.0f} ms")
    if os.environ.get("PLANNER_IS_FAST"):
        assert best < 50, f"{best:.0f} ms"


for site in SITES:
    for mode in ["auto", "legacy"]:
        asyncio.run(serve(site, mode))
latency()
strain()
sys.exit(0)
