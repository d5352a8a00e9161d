//! Questions of the editor about a site, and their answers.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use gen_lsp_types::{
    CodeLensParams, CompletionParams, DocumentDiagnosticParams, DocumentSymbolParams,
    ExecuteCommandParams, ReferenceParams, SelectionRangeParams, WorkspaceSymbolParams,
};
use lsp_server::{ErrorCode, RequestId};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::kit::safe::clean;
use crate::source::Source;

use super::client::{PLAN, WHY};
use super::position::Lines;
use super::tree::Tree;
use super::view::View;
use super::{actions, complete, hover, lens, navigate, ranges, symbols};

const DIAGNOSTIC: &str = "textDocument/diagnostic";

/// Why there is no answer: a code of the protocol and a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Refusal {
    pub(super) code: i32,
    pub(super) message: String,
    pub(super) data: Option<Value>,
}

impl Refusal {
    pub(super) fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self {
            code: code as i32,
            message: message.into(),
            data: None,
        }
    }

    /// The file changed while its state was awaited.
    pub(super) fn stale(method: &str) -> Self {
        if method == DIAGNOSTIC {
            return Self {
                data: Some(json!({"retriggerRequest": true})),
                ..Self::new(ErrorCode::ServerCancelled, "the file is being read")
            };
        }
        Self::new(ErrorCode::ContentModified, "the file is being read")
    }
}

/// The subject of a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum About {
    /// A file as it is now.
    File,
    /// A file whose newest text counts, with what is known of the site.
    Text,
    /// All folders.
    All,
}

/// The subject of a method's questions; none of methods that are not answered.
pub(super) fn about(method: &str) -> Option<About> {
    Some(match method {
        "textDocument/codeAction"
        | "textDocument/codeLens"
        | "textDocument/definition"
        | "textDocument/documentSymbol"
        | "textDocument/hover"
        | "textDocument/references"
        | DIAGNOSTIC => About::File,
        "textDocument/completion" | "textDocument/foldingRange" | "textDocument/selectionRange" => {
            About::Text
        }
        "workspace/executeCommand" | "workspace/symbol" => About::All,
        _ => return None,
    })
}

/// A question to be answered.
pub(super) struct Ask {
    /// The number of the request.
    pub(super) id: RequestId,
    /// Its method.
    pub(super) method: String,
    /// Its parameters.
    pub(super) params: Value,
    /// The sites that it is about.
    pub(super) views: Vec<Arc<View>>,
    /// The newest text of the file that it is about.
    pub(super) text: Option<Arc<str>>,
    /// Whether the client no longer wants to know.
    pub(super) is_cancelled: Arc<AtomicBool>,
}

/// The answer to a question.
pub(super) fn answer(ask: Ask) -> Result<Value, Refusal> {
    let Ask {
        method,
        params,
        views,
        text,
        ..
    } = ask;
    if method == "workspace/symbol" {
        let params: WorkspaceSymbolParams = read(params)?;
        let views = views.iter().map(|view| &**view);
        return Ok(symbols::of_sites(views, &params.query));
    }
    if method == "workspace/executeCommand" {
        return command(&views, read(params)?);
    }
    let view = views.first();
    if method == DIAGNOSTIC {
        let params: DocumentDiagnosticParams = read(params)?;
        let of_file = view.and_then(|view| view.diagnostics.get(&params.text_document.uri.0));
        let items = of_file.map(|of_file| of_file.diagnostics.clone());
        return Ok(json!({"kind": "full", "items": items.unwrap_or_default()}));
    }
    let Some(view) = view else {
        return Ok(Value::Null);
    };
    Ok(match method.as_str() {
        "textDocument/codeAction" => json!(actions::answer(view, &read(params)?)),
        "textDocument/codeLens" => {
            let params: CodeLensParams = read(params)?;
            json!(lens::answer(view, &params.text_document.uri.0))
        }
        "textDocument/completion" => {
            let params: CompletionParams = read(params)?;
            let position = params.text_document_position_params.position;
            json!(text.map(|text| complete::answer(view, &text, position)))
        }
        "textDocument/definition" => json!(navigate::definition(view, &read(params)?)),
        "textDocument/documentSymbol" => {
            let params: DocumentSymbolParams = read(params)?;
            let uri = params.text_document.uri.0;
            let source = view.file(&uri);
            source.map_or(Value::Null, |source| symbols::of_file(view, source, &uri))
        }
        "textDocument/hover" => json!(hover::answer(view, &read(params)?)),
        "textDocument/references" => {
            let params: ReferenceParams = read(params)?;
            let with = params.context.include_declaration;
            json!(navigate::references(
                view,
                &params.text_document_position_params,
                with
            ))
        }
        "textDocument/foldingRange" => {
            let source = Source::new(String::new(), text.as_deref().unwrap_or("").to_owned());
            let lines = Lines::new(&source, view.client.encoding, true);
            json!(ranges::folding(&Tree::new(&source), &lines, &source.text))
        }
        "textDocument/selectionRange" => {
            let params: SelectionRangeParams = read(params)?;
            let source = Source::new(String::new(), text.as_deref().unwrap_or("").to_owned());
            let lines = Lines::new(&source, view.client.encoding, true);
            let tree = Tree::new(&source);
            let positions = params.positions.into_iter();
            let of = |position| ranges::selection(&tree, &lines, &source.text, position);
            json!(positions.map(of).collect::<Vec<_>>())
        }
        method => return Err(Refusal::new(ErrorCode::MethodNotFound, clean(method))),
    })
}

/// The answer of a command: a text. Nothing is written, whatever the command.
fn command(views: &[Arc<View>], params: ExecuteCommandParams) -> Result<Value, Refusal> {
    let arguments = params.arguments.unwrap_or_default();
    let argument = |at: usize| arguments.get(at).and_then(Value::as_str);
    // The folder that has the file, else the first.
    let uri = argument(0).unwrap_or("");
    let holding = views
        .iter()
        .find(|view| view.file(uri).is_some() || view.is_at(uri));
    let refuse = |why: &str| Refusal::new(ErrorCode::RequestFailed, why);
    let view = holding.or_else(|| views.first());
    let view = view.ok_or_else(|| refuse("no folder could be read"))?;
    let planned = view
        .planned()
        .ok_or_else(|| refuse("the site cannot be planned"))?;
    match params.command.as_str() {
        PLAN => Ok(json!(hover::plan(planned))),
        WHY => {
            let subject = argument(1).ok_or_else(|| {
                Refusal::new(
                    ErrorCode::InvalidParams,
                    "the arguments are a URI and a subject",
                )
            })?;
            let page = hover::why(planned, subject, argument(2));
            page.map(|page| json!(page)).map_err(|why| refuse(&why))
        }
        other => Err(Refusal::new(
            ErrorCode::InvalidParams,
            format!("there is no command {}", clean(other)),
        )),
    }
}

/// The parameters of a question.
pub(super) fn read<P: DeserializeOwned>(params: Value) -> Result<P, Refusal> {
    let refusal = |error: serde_json::Error| {
        Refusal::new(
            ErrorCode::InvalidParams,
            format!("cannot read the parameters: {error}"),
        )
    };
    serde_json::from_value(params).map_err(refusal)
}
