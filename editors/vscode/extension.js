// planner for VS Code: starts `planner lsp` and shows the texts that its commands answer with.
const vscode = require('vscode')
const { LanguageClient } = require('vscode-languageclient/node')

let client

// Opens a text beside the editor.
async function show(content) {
  const document = await vscode.workspace.openTextDocument({ content, language: 'plaintext' })
  await vscode.window.showTextDocument(document, { preview: true, viewColumn: vscode.ViewColumn.Beside })
}

async function ask(command, words) {
  const params = { command, arguments: words }
  try {
    await show(await client.sendRequest('workspace/executeCommand', params))
  } catch (error) {
    vscode.window.showErrorMessage(`planner: ${error.message}`)
  }
}

exports.activate = async function activate(context) {
  const settings = vscode.workspace.getConfiguration('planner')
  const server = { command: settings.get('path'), args: ['lsp'] }
  const options = {}
  for (const name of ['config', 'site', 'allowAdvisors']) {
    if (settings.get(name)) options[name] = settings.get(name)
  }
  client = new LanguageClient('planner', 'planner', server, {
    documentSelector: [
      { scheme: 'file', language: 'yaml' },
      { scheme: 'file', language: 'json' },
    ],
    initializationOptions: options,
    middleware: {
      // The lenses of the server ask why: its answer is a text to be shown.
      executeCommand: (command, words) => ask(command, words),
    },
  })
  context.subscriptions.push(
    vscode.commands.registerCommand('planner.showPlan', () => {
      const editor = vscode.window.activeTextEditor
      return ask('planner.plan', editor ? [editor.document.uri.toString()] : [])
    }),
  )
  await client.start()
}

exports.deactivate = () => client?.stop()
