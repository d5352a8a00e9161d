// The server for agents with the clients of npm: the one of version 2 in both versions of the
// protocol, and the one of version 1.
import assert from 'node:assert/strict';

import * as modern from '@modelcontextprotocol/client';
import { StdioClientTransport as ModernTransport } from '@modelcontextprotocol/client/stdio';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

const [planner, ...sites] = process.argv.slice(2);
const info = { name: 'planner-tests', version: '1' };
const clients = {
  'client, handshake': [() => new modern.Client(info), ModernTransport],
  'client, 2026-07-28': [
    () => new modern.Client(info, { versionNegotiation: { mode: { pin: '2026-07-28' } } }),
    ModernTransport,
  ],
  sdk: [() => new OldClient(info), OldTransport],
};

const names = ['validate', 'plan', 'why', 'diff', 'risk', 'explain', 'schema'];
const calls = [
  ['validate', {}],
  ['plan', {}],
  ['plan', { section: 'placements' }],
  ['why', {}],
  ['diff', { overlay: { 'new.yaml': 'kind: Nothing\n' } }],
  ['risk', { top: 3 }],
  ['explain', { code: 'unbound_set' }],
  ['schema', { kind: 'Placement' }],
];

for (const site of sites) {
  for (const [name, [make, Transport]] of Object.entries(clients)) {
    const client = make();
    const args = ['mcp', site, '--now', '2026-01-01T00:00:00Z'];
    await client.connect(new Transport({ command: planner, args }));
    const { tools } = await client.listTools();
    assert.deepEqual(tools.map((tool) => tool.name), names);
    for (const [tool, args] of calls) {
      // The client checks the answer against the schema of the tool.
      const result = await client.callTool({ name: tool, arguments: args });
      assert.ok(!result.isError, `${tool}: ${JSON.stringify(result)}`);
      assert.deepEqual(JSON.parse(result.content[0].text), result.structuredContent);
      assert.ok(Buffer.byteLength(result.content[0].text) <= 20_000);
    }
    const mistake = await client.callTool({ name: 'plan', arguments: { path: '../..' } });
    assert.ok(mistake.isError);
    const { resources } = await client.listResources();
    assert.ok(resources.length > 20);
    const page = await client.readResource({ uri: 'planner://rules/ocm::unbound_set' });
    assert.match(page.contents[0].text, /^# planner::ocm::unbound_set/);
    const { prompts } = await client.listPrompts();
    assert.deepEqual(prompts.map((prompt) => prompt.name), ['review', 'migrate']);
    const review = await client.getPrompt({ name: 'review', arguments: { path: '.' } });
    assert.match(review.messages[0].content.text, /validate/);
    // A call that is given up, and one after it.
    const controller = new AbortController();
    const dropped = client.callTool(
      { name: 'risk', arguments: {} },
      ...(Transport === OldTransport ? [undefined] : []),
      { signal: controller.signal },
    );
    setTimeout(() => controller.abort(), 5);
    await dropped.catch(() => undefined);
    const after = await client.callTool({ name: 'explain', arguments: { code: 'unbound_set' } });
    assert.ok(!after.isError);
    await client.close();
    console.log(`npm, ${name}: ${site}: ok`);
  }
}
