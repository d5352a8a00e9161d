//! Messages from the server to its client.

use std::io::{self, Write};

use crossbeam_channel::{Receiver, Sender};
use lsp_server::{Connection, Message, Notification};
use serde::Serialize;
use serde_json::Value;

use super::view::{Listed, OfFile};

const PUBLISH: &str = "textDocument/publishDiagnostics";

/// A message, or diagnostics that become one when they are written.
#[derive(Debug)]
pub(super) enum Outgoing {
    /// A message.
    Message(Message),
    /// The URI of a file and its diagnostics. Waiting for a slow client, they share the text that
    /// the server keeps.
    Diagnostics(String, OfFile),
}

/// The parameters of a file's diagnostics.
#[derive(Serialize)]
struct Published<'p> {
    uri: &'p str,
    diagnostics: &'p Listed,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<i32>,
}

#[derive(Serialize)]
struct Framed<'p> {
    jsonrpc: &'static str,
    method: &'static str,
    params: Published<'p>,
}

impl<'p> Published<'p> {
    fn new(uri: &'p str, of_file: &'p OfFile) -> Self {
        Self {
            uri,
            diagnostics: &of_file.diagnostics,
            version: of_file.version,
        }
    }
}

impl Outgoing {
    /// Writes it as the protocol has it.
    pub(super) fn write(&self, to: &mut impl Write) -> io::Result<()> {
        let (uri, of_file) = match self {
            Self::Message(message) => return message.write(to),
            Self::Diagnostics(uri, of_file) => (uri, of_file),
        };
        let text = serde_json::to_vec(&Framed {
            jsonrpc: "2.0",
            method: PUBLISH,
            params: Published::new(uri, of_file),
        })?;
        write!(to, "Content-Length: {}\r\n\r\n", text.len())?;
        to.write_all(&text)?;
        to.flush()
    }

    fn message(self) -> Message {
        match self {
            Self::Message(message) => message,
            Self::Diagnostics(uri, of_file) => {
                let params = serde_json::to_value(Published::new(&uri, &of_file));
                let params = params.unwrap_or(Value::Null);
                let method = PUBLISH.to_owned();
                Notification { method, params }.into()
            }
        }
    }
}

/// Where messages go.
#[derive(Debug)]
pub(super) enum Outbox {
    /// To a client of the same process.
    Messages(Sender<Message>),
    /// To a thread that writes it.
    Written(Sender<Outgoing>),
}

impl Outbox {
    /// Sends a message. If the client is gone, the message is lost.
    pub(super) fn send(&self, said: Outgoing) {
        match self {
            Self::Messages(to) => drop(to.send(said.message())),
            Self::Written(to) => drop(to.send(said)),
        }
    }
}

/// A connection to a client.
#[derive(Debug)]
pub(super) struct Link {
    /// Messages from the client.
    pub(super) incoming: Receiver<Message>,
    pub(super) outgoing: Outbox,
}

impl From<Connection> for Link {
    fn from(connection: Connection) -> Self {
        let Connection { sender, receiver } = connection;
        Self {
            incoming: receiver,
            outgoing: Outbox::Messages(sender),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn diagnostics_are_written_as_they_are_sent() {
        let one = json!({"message": "a \"b\"\n\u{e9}"});
        for list in [Listed::default(), Listed::of(&[&one])] {
            for version in [None, Some(3)] {
                let diagnostics = list.clone();
                let of_file = OfFile {
                    version,
                    diagnostics,
                };
                let said = || Outgoing::Diagnostics("file:///a".to_owned(), of_file.clone());
                let mut written = Vec::new();
                said().write(&mut written).unwrap();
                let mut sent = Vec::new();
                said().message().write(&mut sent).unwrap();
                assert_eq!(
                    String::from_utf8(written).unwrap(),
                    String::from_utf8(sent).unwrap()
                );
            }
        }
    }
}
