//! Words that users of kubectl, terraform, helm and argocd type, and the commands for them here.

/// A word in place of a command, and the line that names the command.
const COMMANDS: [(&[&str], &str); 9] = [
    (
        &["get", "list", "ls", "status"],
        "`planner plan` prints what goes where; `planner why NAME` is about one thing",
    ),
    (
        &["describe"],
        "`planner why NAME` prints every reason for a decision",
    ),
    (
        &["apply", "deploy", "install", "upgrade", "sync", "create"],
        "planner deploys nothing: `planner plan` asks and records; `planner proceed FILE` takes a \
         plan saved with --out",
    ),
    (
        &["destroy", "delete", "uninstall"],
        "planner deletes nothing: `planner plan --without KIND/NAME` shows what a loss moves",
    ),
    (
        &["state", "history", "rollback"],
        "the state is the records in planner-records/, under version control; `planner show FILE` \
         prints a saved plan",
    ),
    (
        &["refresh", "import"],
        "`planner drift --hub FILE` compares a snapshot of the hub with the documents",
    ),
    (
        &["template", "kustomize"],
        "`planner render DIR` prints what a kustomization makes",
    ),
    (&["fmt", "fix"], "`planner validate --fix` applies fixes"),
    (
        &["app", "preview"],
        "`planner plan --against REV` shows what a change moves",
    ),
];

/// A flag that is none here, and the line that names the command.
const FLAGS: [(&[&str], &str); 6] = [
    (
        &["-f", "--filename", "--file", "-k", "-R", "--recursive"],
        "files and directories need no flag: `planner COMMAND PATH`",
    ),
    (
        DRY_RUN,
        "`planner plan` changes nothing by itself; `planner plan --no-input` never asks either",
    ),
    (
        &["--format", "-json", "--json", "--template"],
        "`planner COMMAND -o FORMAT` chooses the format, such as -o json",
    ),
    (
        &["--auto-approve", "-auto-approve", "--force", "--confirm"],
        "`planner plan --yes` proceeds without asking",
    ),
    (
        &["-out"],
        "`planner plan --out FILE` saves a plan; `planner proceed FILE` takes it",
    ),
    (
        &["--revision", "--since"],
        "`planner plan --against REV` compares with a git revision",
    ),
];

/// Flags that ask for a preview.
const DRY_RUN: &[&str] = &["--dry-run", "-dry-run", "--server-side", "--check"];

/// A command other than `plan`, and how it shows what it would write.
const PREVIEWS: [(&str, &str); 5] = [
    ("init", "`planner init --diff` prints what it would write"),
    (
        "validate",
        "`planner validate` writes nothing without --fix; --diff prints the edits instead",
    ),
    (
        "migrate",
        "`planner migrate` writes nothing without --write; -o diff prints a patch",
    ),
    (
        "proceed",
        "`planner show FILE` prints the saved plan and whether it is up to date",
    ),
    (
        "export",
        "`planner graph` prints the groups that `planner export` writes",
    ),
];

/// The line for arguments that were not understood.
pub(super) fn line<'w>(mut words: impl Iterator<Item = &'w str>) -> Option<String> {
    let find = |table: &[(&[&str], &'static str)], word: &str| {
        let word = word.split('=').next().unwrap_or(word);
        let row = table.iter().find(|(words, _)| words.contains(&word));
        row.map(|(_, line)| *line)
    };
    let command = words.next()?;
    let flag = words.find_map(|word| Some((word, find(&FLAGS, word)?)));
    let previewed = |word: &str| {
        let row = PREVIEWS.iter().find(|(of, _)| *of == command);
        row.filter(|_| DRY_RUN.contains(&word))
            .map(|(_, line)| *line)
    };
    let flag = flag.map(|(word, line)| (word, previewed(word).unwrap_or(line)));
    let (word, line) = match (find(&COMMANDS, command), command, flag) {
        (_, "diff", Some(_)) => (
            command,
            "`planner plan --against REV` shows what the files move; `planner diff` compares saved \
             plans",
        ),
        (Some(line), ..) => (command, line),
        (None, _, Some((word, line))) => (word, line),
        (None, _, None) => (command, find(&FLAGS, command)?),
    };
    let word = word.split('=').next().unwrap_or(word);
    // Flags stand for a command that is known.
    let line = match command {
        known if !known.starts_with('-') => {
            line.replace("planner COMMAND", &format!("planner {known}"))
        }
        _ => line.replace("planner COMMAND", "planner plan"),
    };
    Some(format!("{word}: {line}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn habits_name_the_command() {
        for (typed, said) in [
            ("apply -f site", "planner proceed FILE"),
            ("get placements", "planner plan"),
            ("plan -f site", "`planner plan PATH`"),
            ("plan --dry-run", "--no-input"),
            ("init --dry-run", "`planner init --diff`"),
            ("validate site --check", "without --fix"),
            ("migrate --dry-run", "without --write"),
            ("diff -f site", "planner plan --against REV"),
            ("validate --format=json", "`planner validate -o FORMAT`"),
            ("destroy", "--without"),
            ("state list", "planner show"),
            ("-f site", "`planner plan PATH`"),
        ] {
            let line = line(typed.split(' ')).expect(typed);
            assert!(line.contains(said), "{typed}: {line}");
            assert!(!line.contains('\n'));
        }
        assert_eq!(line(["plan", "--agianst"].into_iter()), None);
    }
}
