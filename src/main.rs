//! The `planner` program.

fn main() -> std::process::ExitCode {
    planner::cli::run()
}
