//! `schema`, `completions`, `man`: what is made from tables and argument definitions.

use clap::builder::PossibleValuesParser;
use clap_complete::Shell;

use crate::kit::nearest::{hint, nearest};
use crate::render::json;
use crate::rules;
use crate::schema;

use super::args::{self, CompletionsArgs, SchemaArgs};
use super::console::Console;
use super::exit::Exit;
use super::failure::Failure;

/// `planner schema`.
///
/// # Errors
/// An unknown kind.
pub(super) fn schema(args: &SchemaArgs, console: &Console) -> Result<Exit, Failure> {
    let Some(kind) = &args.kind else {
        let stems: Vec<&str> = schema::stems().collect();
        console.out(&format!("{}\n", stems.join("\n")))?;
        return Ok(Exit::Success);
    };
    let Some(found) = schema::named(kind) else {
        let near = nearest(kind, schema::names());
        let hint = hint(near.as_slice());
        return Err(Failure::usage(format!(
            "there is no schema for \"{kind}\"{hint}"
        )));
    };
    console.out(&json::text(&found))?;
    Ok(Exit::Success)
}

/// The name of a code without its system, which is enough for `explain`; shells part words at `:`.
fn last_part(code: &'static str) -> &'static str {
    code.rsplit("::").next().unwrap_or(code)
}

/// Lets the script ask the program for the subjects of `why`, which depend on the site.
fn offer_subjects(shell: Shell, script: &mut String) {
    const NAMES: &str = "planner why 2>/dev/null";
    match shell {
        Shell::Bash => {
            let case = "planner__subcmd__why)\n";
            // `compgen -W` would expand what stands in a name, commands included.
            let body = [
                "if [[ ${cur} != -* && ${COMP_CWORD} -eq 2 ]] ; then",
                "    local name",
                "    COMPREPLY=()",
                "    while IFS= read -r name ; do",
                "        [[ ${name} == \"${cur}\"* ]] &&",
                "            COMPREPLY+=( \"$(printf '%q' \"${name}\")\" )",
                &format!("    done < <({NAMES})"),
                "    return 0",
                "fi",
            ];
            let body = body.map(|line| format!("            {line}\n")).concat();
            let body = format!("{case}{body}");
            *script = script.replacen(case, &body, 1);
        }
        Shell::Zsh => {
            let function = format!(
                "#compdef planner\n\n_planner_subjects() {{\n    local -a subjects\n    \
                 subjects=(${{(f)\"$({NAMES})\"}})\n    compadd -a subjects\n}}\n"
            );
            *script = script.replacen("#compdef planner\n", &function, 1);
            let lines = script.split_inclusive('\n').map(|line| {
                if line.starts_with("'::subject") {
                    line.replace(":_default'", ":_planner_subjects'")
                } else {
                    line.to_owned()
                }
            });
            *script = lines.collect();
        }
        Shell::Fish => {
            let seen = "__fish_seen_subcommand_from why";
            script.push_str(&format!(
                "complete -c planner -n \"{seen}\" -f -a \"({NAMES})\"\n"
            ));
        }
        _ => {}
    }
}

/// `planner completions`.
///
/// # Errors
/// An output that cannot be written.
pub(super) fn completions(args: &CompletionsArgs, console: &Console) -> Result<Exit, Failure> {
    let mut out: Vec<u8> = Vec::new();
    // Offered, not demanded: what is typed is read by the command, which knows near names.
    let names = |names: Vec<&'static str>| PossibleValuesParser::new(names);
    let mut codes: Vec<&str> = rules::all()
        .iter()
        .map(|rule| last_part(rule.code))
        .collect();
    codes.sort_unstable();
    codes.dedup();
    let kinds: Vec<&str> = schema::names().collect();
    // The script for fish has no words of its own in it.
    let offered = [("explain", codes.join(" ")), ("schema", kinds.join(" "))];
    let command = args::command();
    let command = command.mut_subcommand("explain", |explain| {
        explain.mut_arg("code", |code| code.value_parser(names(codes)))
    });
    let mut command = command.mut_subcommand("schema", |schema| {
        schema.mut_arg("kind", |kind| kind.value_parser(names(kinds)))
    });
    clap_complete::generate(args.shell, &mut command, "planner", &mut out);
    let mut script = String::from_utf8_lossy(&out).into_owned();
    offer_subjects(args.shell, &mut script);
    if args.shell == Shell::Fish {
        for (command, words) in offered {
            let seen = format!("__fish_seen_subcommand_from {command}");
            script.push_str(&format!(
                "complete -c planner -n \"{seen}\" -f -a \"{words}\"\n"
            ));
        }
    }
    console.out(&script)?;
    Ok(Exit::Success)
}
