// The language server and vscode-languageserver-protocol: columns in UTF-16 and in characters,
// line ends of Windows, folders that come and go.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, realpathSync, renameSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import rpc from 'vscode-jsonrpc/node'
import lsp from 'vscode-languageserver-protocol/node'

const here = process.argv[2]
const program = process.env.PLANNER_BIN
const wait = (time) => new Promise((done) => setTimeout(done, time))

function site() {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'planner')))
  cpSync(join(here, 'site'), home, { recursive: true })
  return home
}

async function started(folders, encodings) {
  const child = spawn(program, ['lsp', '--stdio', '--now', '2026-01-01T00:00:00Z'])
  const reader = new rpc.StreamMessageReader(child.stdout)
  const connection = rpc.createMessageConnection(reader, new rpc.StreamMessageWriter(child.stdin))
  const shown = new Map()
  connection.onNotification('textDocument/publishDiagnostics', (said) => shown.set(said.uri, said))
  connection.onNotification('window/logMessage', () => {})
  connection.onRequest('client/registerCapability', () => null)
  connection.listen()
  const answer = await connection.sendRequest(lsp.InitializeRequest.type, {
    processId: process.pid,
    rootUri: null,
    capabilities: { general: encodings ? { positionEncodings: encodings } : {} },
    workspaceFolders: folders.map((path) => ({ uri: pathToFileURL(path).href, name: path })),
  })
  await connection.sendNotification(lsp.InitializedNotification.type, {})
  const until = async (uri, holds) => {
    for (let round = 0; round < 600; round++) {
      const said = shown.get(uri)
      if (said && holds(said)) return said.diagnostics
      await wait(50)
    }
    throw new Error(`not told in time: ${uri}: ${JSON.stringify(shown.get(uri))}`)
  }
  return { child, connection, answer, until }
}

async function end({ child, connection }) {
  await connection.sendRequest('shutdown')
  const ended = new Promise((done) => child.on('exit', done))
  await connection.sendNotification('exit')
  assert.equal(await ended, 0)
  connection.dispose()
}

for (const [encodings, width] of [[undefined, (text) => text.length], [['utf-32'], (text) => [...text].length]]) {
  const home = site()
  const path = join(home, 'site.yaml')
  const text = readFileSync(path, 'utf8').replaceAll('\n', '\r\n')
  writeFileSync(path, text)
  const uri = pathToFileURL(path).href
  const server = await started([home], encodings)
  const { connection, answer, until } = server
  assert.equal(answer.capabilities.positionEncoding, encodings ? 'utf-32' : 'utf-16')
  await connection.sendNotification(lsp.DidOpenTextDocumentNotification.type, {
    textDocument: { uri, languageId: 'yaml', version: 1, text },
  })
  const found = await until(uri, (said) => said.version === 1)
  assert.deepEqual(found.map((one) => one.code), ['schema::type'])
  const lines = text.split('\r\n')
  const line = lines.findIndex((one) => one.includes('yes'))
  const before = lines[line].slice(0, lines[line].indexOf('yes'))
  assert.deepEqual(found[0].range.start, { line, character: width(before) })

  const textDocument = { uri }
  const actions = await connection.sendRequest(lsp.CodeActionRequest.type, {
    textDocument,
    range: found[0].range,
    context: { diagnostics: found },
  })
  const fix = actions.find((action) => action.isPreferred)
  const [edit] = fix.edit.changes[uri]
  const after = lines[line].slice(before.length + 'yes'.length)
  lines[line] = before + edit.newText + after
  const mended = lines.join('\r\n')
  const change = (version, text) =>
    connection.sendNotification(lsp.DidChangeTextDocumentNotification.type, {
      textDocument: { uri, version },
      contentChanges: [{ text }],
    })
  await change(2, mended)
  assert.deepEqual(await until(uri, (said) => said.version === 2), [])

  const shop = pathToFileURL(join(home, 'shop.yaml')).href
  const shopText = readFileSync(join(home, 'shop.yaml'), 'utf8')
  await connection.sendNotification(lsp.DidOpenTextDocumentNotification.type, {
    textDocument: { uri: shop, languageId: 'yaml', version: 1, text: shopText },
  })
  await until(shop, (said) => said.version === 1)
  const at = { textDocument: { uri: shop }, position: { line: 4, character: 13 } }
  const defined = await connection.sendRequest(lsp.DefinitionRequest.type, at)
  assert.equal(defined[0].uri, uri)
  const lenses = await connection.sendRequest(lsp.CodeLensRequest.type, { textDocument: at.textDocument })
  assert.match(lenses[0].command.title, /^→ oslo /)
  const hover = await connection.sendRequest(lsp.HoverRequest.type, {
    ...at,
    position: { line: 10, character: 18 },
  })
  assert.match(hover.contents.value, /shop\/web: oslo/)
  const completed = await connection.sendRequest(lsp.CompletionRequest.type, {
    ...at,
    position: { line: 4, character: 11 },
  })
  assert.ok(completed.some((one) => one.label === 'retail'))

  // Two quick changes: the first question is cancelled, the last one answered from the last text.
  await change(3, text)
  const cancel = new rpc.CancellationTokenSource()
  const first = connection.sendRequest(lsp.DocumentSymbolRequest.type, { textDocument }, cancel.token)
  cancel.cancel()
  await assert.rejects(first)
  await change(4, '')
  assert.deepEqual(await until(uri, (said) => said.version === 4), [])

  // Another name for a file.
  const watched = (changes) =>
    connection.sendNotification(lsp.DidChangeWatchedFilesNotification.type, { changes })
  await connection.sendNotification(lsp.DidCloseTextDocumentNotification.type, { textDocument })
  const moved = join(home, 'moved.yaml')
  const movedUri = pathToFileURL(moved).href
  renameSync(path, moved)
  await watched([
    { uri, type: lsp.FileChangeType.Deleted },
    { uri: movedUri, type: lsp.FileChangeType.Created },
  ])
  assert.equal((await until(movedUri, (said) => said.diagnostics.length === 1))[0].code, 'schema::type')
  assert.deepEqual(await until(uri, (said) => said.diagnostics.length === 0), [])

  const other = site()
  const folder = { uri: pathToFileURL(other).href, name: 'other' }
  const event = (added, removed) =>
    connection.sendNotification(lsp.DidChangeWorkspaceFoldersNotification.type, { event: { added, removed } })
  const otherUri = pathToFileURL(join(other, 'site.yaml')).href
  await event([folder], [])
  await until(otherUri, (said) => said.diagnostics.length === 1)
  await event([], [folder])
  await until(otherUri, (said) => said.diagnostics.length === 0)
  await end(server)
}
// A server that is killed, and one whose client goes away, are gone.
for (const finish of [({ child }) => child.kill('SIGKILL'), ({ child }) => child.stdin.end()]) {
  const server = await started([site()])
  const ended = new Promise((done) => server.child.on('exit', done))
  server.connection.onError(() => {})
  finish(server)
  await Promise.race([ended, wait(5000).then(() => assert.fail('still there'))])
  server.connection.dispose()
}
console.log('node: passed')
