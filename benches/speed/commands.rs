//! The commands that are measured.

/// The instant at which plans are made.
pub const NOW: &str = "2026-01-01T00:00:00Z";

pub const VALIDATE: &[&str] = &["validate", "-o", "concise"];
pub const VALIDATE_JSON: &[&str] = &["validate", "-o", "json"];
pub const SARIF: &[&str] = &["validate", "-o", "sarif"];
pub const PLAN: &[&str] = &["plan", "-o", "json", "--no-input", "--now", NOW];
pub const PLAN_TEXT: &[&str] = &["plan", "--no-input", "--now", NOW];
pub const SIMULATE: &[&str] = &["simulate", "-o", "json", "--now", NOW];
pub const WEAKEST: &[&str] = &["simulate", "--weakest", "-o", "json"];
pub const RISK: &[&str] = &["risk", "-o", "json", "--now", NOW];
pub const REPORT: &[&str] = &["report", "-o", "-", "--now", NOW];
pub const GRAPH: &[&str] = &["graph", "--format", "dot"];
pub const RENDER: &[&str] = &["render"];
pub const LIST: &[&str] = &["render", "--list", "-o", "json"];
pub const VERSION: &[&str] = &["--version"];
