//! The arguments of `planner report`.

use std::path::PathBuf;

use clap::Args;

use super::shared::{CommonArgs, InputArgs};

/// `report`.
#[derive(Debug, Clone, Args)]
pub struct ReportArgs {
    #[command(flatten)]
    pub input: InputArgs,
    #[command(flatten)]
    pub common: CommonArgs,
    /// The page to write, or - for standard output
    ///
    /// An existing file is replaced once the new page is complete.
    #[arg(long, short, value_name = "FILE")]
    pub output: String,
    /// The heading of the page [default: the PATHs]
    #[arg(long, value_name = "TEXT")]
    pub title: Option<String>,
    /// Turn each file and line into a link: a URL with {path}, {line} and {rev}
    ///
    /// {path} is the path in the git repository, {rev} the commit. Example:
    /// `https://forge.example/blob/{rev}/{path}#L{line}`
    #[arg(long, value_name = "TEMPLATE")]
    pub link: Option<String>,
    /// Also show what moves compared with another state of the site: a directory, or a git
    /// revision of the same PATHs
    #[arg(long, value_name = "DIR|GIT-REV", conflicts_with_all = ["without", "plan"])]
    pub against: Option<String>,
    /// Plan as if this and everything in it were gone: cluster/NAME, node/NAME, rack/NAME,
    /// region/NAME, set/NAME or label/KEY[=VALUE] (repeatable)
    #[arg(long, value_name = "KIND/NAME", conflicts_with = "plan")]
    pub without: Vec<String>,
    /// Show a saved plan instead; with PATHs, also whether it is stale
    #[arg(long, value_name = "FILE", conflicts_with_all = ["risk", "fail", "fail_rack", "faults"])]
    pub plan: Option<PathBuf>,
    /// Plan only this Package (repeatable)
    #[arg(long, value_name = "NAME")]
    pub package: Vec<String>,
    /// Also lose each cluster, node, rack and region in turn and show the impact
    #[arg(long)]
    pub risk: bool,
    /// A file with faults to simulate in the deployment groups (repeatable)
    #[arg(long, value_name = "FILE")]
    pub faults: Vec<PathBuf>,
    /// Fail this node in prepare (repeatable)
    #[arg(long, value_name = "NODE")]
    pub fail: Vec<String>,
    /// Fail all nodes of this rack in prepare (repeatable)
    #[arg(long, value_name = "RACK")]
    pub fail_rack: Vec<String>,
    /// Exit with 2 instead of 0 if something would change
    #[arg(long)]
    pub detailed_exitcode: bool,
}
