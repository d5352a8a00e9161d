//! Which fields of an object hold values of a Secret.

/// The fields of a Secret that hold its values.
pub const VALUES: [&str; 2] = ["data", "stringData"];

/// Whether a field of a Secret holds values, or is misspelt and may be meant to.
#[must_use]
pub fn holds_values(field: &str) -> bool {
    field != "metadata" && field.to_ascii_lowercase().contains("data")
}

/// Whether a field has no place in a Secret: it may be a value whose line is indented too little.
#[must_use]
pub fn is_stray(field: &str) -> bool {
    let known = [
        "$patch",
        "apiVersion",
        "immutable",
        "kind",
        "metadata",
        "type",
    ];
    !known.contains(&field)
}

/// Whether a field of an object of this kind holds values of a Secret.
#[must_use]
pub fn is_hidden(kind: Option<&str>, field: &str) -> bool {
    kind == Some("Secret") && holds_values(field)
}

/// Whether a schema of Deckhand is that of documents whose data is a secret.
#[must_use]
pub fn is_secret_schema(schema: &str) -> bool {
    let kinds = [
        "CertificateAuthorityKey",
        "CertificateKey",
        "Passphrase",
        "PrivateKey",
    ];
    let kind = schema.strip_prefix("deckhand/");
    let kind = kind.and_then(|rest| rest.split('/').next());
    kind.is_some_and(|kind| kinds.contains(&kind))
}

/// Deckhand's storage policy for documents with secret data.
pub const ENCRYPTED: &str = "encrypted";
