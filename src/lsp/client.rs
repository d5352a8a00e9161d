//! The capabilities of the client, as far as answers depend on them, and those of the server.

use gen_lsp_types::CodeActionKind;
use serde_json::{Value, json};

use super::position::Encoding;

/// The capabilities of a client.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Client {
    /// The units of columns.
    pub(super) encoding: Encoding,
    /// It asks for the diagnostics of open files.
    pub(super) pulls: bool,
    /// It asks again when told to.
    pub(super) refreshes: bool,
    /// It takes new lenses when told to.
    pub(super) refreshes_lenses: bool,
    /// It lets the server choose which files are watched.
    pub(super) watches: bool,
    /// Edits may say which version of a file they are for.
    pub(super) versioned: bool,
    /// Edits may hold a snippet.
    pub(super) snippets: bool,
    /// Completions may hold a snippet.
    pub(super) completes_snippets: bool,
    /// Symbols may lie in one another.
    pub(super) nests: bool,
}

/// The kind of the action that makes all safe fixes of a file.
pub(super) const FIX_ALL: &str = "source.fixAll.planner";
/// Gives the text of the plan.
pub(super) const PLAN: &str = "planner.plan";
/// Gives the reasons for a subject.
pub(super) const WHY: &str = "planner.why";

impl Client {
    /// The client of an `initialize` request.
    pub(super) fn new(params: &Value) -> Self {
        let can = |at: &str| params.pointer(&format!("/capabilities/{at}"));
        let is = |at: &str| can(at).and_then(Value::as_bool).unwrap_or(false);
        let encodings = can("general/positionEncodings").and_then(Value::as_array);
        let encodings = encodings.into_iter().flatten().filter_map(Value::as_str);
        Self {
            encoding: Encoding::negotiate(encodings),
            pulls: can("textDocument/diagnostic").is_some(),
            refreshes: is("workspace/diagnostics/refreshSupport"),
            refreshes_lenses: is("workspace/codeLens/refreshSupport"),
            watches: is("workspace/didChangeWatchedFiles/dynamicRegistration"),
            versioned: is("workspace/workspaceEdit/documentChanges"),
            snippets: is("workspace/workspaceEdit/snippetEditSupport"),
            completes_snippets: is("textDocument/completion/completionItem/snippetSupport"),
            nests: is("textDocument/documentSymbol/hierarchicalDocumentSymbolSupport"),
        }
    }

    /// The answer to `initialize`.
    pub(super) fn offer(self) -> Value {
        let mut capabilities = json!({
            "positionEncoding": self.encoding.name(),
            "textDocumentSync": {"openClose": true, "change": 1, "save": {"includeText": false}},
            "codeActionProvider": {"codeActionKinds": [
                CodeActionKind::QuickFix,
                FIX_ALL,
            ]},
            "hoverProvider": true,
            "definitionProvider": true,
            "referencesProvider": true,
            "documentSymbolProvider": true,
            "workspaceSymbolProvider": true,
            "completionProvider": {"triggerCharacters": [":", " ", "-", "/", "{", "["]},
            "codeLensProvider": {"resolveProvider": false},
            "foldingRangeProvider": true,
            "selectionRangeProvider": true,
            "executeCommandProvider": {"commands": [PLAN, WHY]},
            "workspace": {
                "workspaceFolders": {"supported": true, "changeNotifications": true},
            },
        });
        if self.pulls {
            capabilities["diagnosticProvider"] = json!({
                "identifier": "planner",
                "interFileDependencies": true,
                "workspaceDiagnostics": false,
            });
        }
        json!({
            "capabilities": capabilities,
            "serverInfo": {"name": "planner", "version": env!("CARGO_PKG_VERSION")},
        })
    }
}
