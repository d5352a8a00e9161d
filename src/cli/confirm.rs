//! The question: Proceed or Cancel, in whole words where something is left behind.

use std::io::{self, BufRead as _};
use std::sync::atomic::{AtomicU8, Ordering};
use std::thread;

use super::console::Console;
use super::exit::Exit;
use super::pager;
use super::write;

/// Wrong answers before the question counts as cancelled.
const TRIES: usize = 3;

/// The answer of a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Choice {
    Proceed,
    Cancel,
}

/// The question, and how much of a word will do.
#[derive(Debug, Clone, Copy)]
pub(super) struct Question<'a> {
    /// `Proceed and save this plan?`
    pub(super) text: &'a str,
    /// Only the whole word will do: something is lost.
    pub(super) whole_word: bool,
}

/// Asks until there is an answer; `read` gives a line with its break, nothing at the end.
pub(super) fn ask(
    question: Question<'_>,
    mut read: impl FnMut() -> io::Result<String>,
    mut say: impl FnMut(&str),
) -> Choice {
    let full = if question.whole_word {
        format!("{} Type \"proceed\", or \"cancel\": ", question.text)
    } else {
        format!("{} [proceed/cancel] ", question.text)
    };
    say(&full);
    for attempt in 1..=TRIES {
        let line = match read() {
            // Text without a line break is the end of input after half a word.
            Ok(line) if line.ends_with('\n') => line,
            _ => {
                say("\n");
                return Choice::Cancel;
            }
        };
        let short = match line.trim().to_lowercase().as_str() {
            "proceed" => return Choice::Proceed,
            "" | "cancel" | "c" | "no" | "n" => return Choice::Cancel,
            "yes" | "p" | "y" if !question.whole_word => return Choice::Proceed,
            "yes" | "p" | "y" => true,
            _ => false,
        };
        if attempt == TRIES {
            break;
        }
        if short {
            say("Please type \"proceed\" in full, or \"cancel\": ");
        } else {
            say("Please answer \"proceed\" or \"cancel\".\n");
            say(&full);
        }
    }
    Choice::Cancel
}

/// Drops what was typed and not yet read.
fn forget_typed() {
    #[cfg(unix)]
    {
        use rustix::termios::{QueueSelector, tcflush};
        // Without it the answer is taken anyway.
        let _ = tcflush(io::stdin(), QueueSelector::IFlush);
    }
}

/// Has Ctrl-C end the program in our words, with 130, and a running advisor with it.
pub(super) fn watch_interrupts(console: &Console) {
    let console = console.clone();
    on_interrupt(move || interrupted(&console));
}

/// Runs `answer` on Ctrl-C.
pub(super) fn on_interrupt(answer: impl FnMut() + 'static + Send) {
    // Without a handler Ctrl-C still ends the program; only the words are missing then.
    let _ = ctrlc::set_handler(answer);
}

/// Asks at the terminal. Ctrl-C while asking ends the program with 130.
pub(super) fn at_terminal(console: &Console, question: Question<'_>) -> Choice {
    watch_interrupts(console);
    let read = || {
        let mut line = String::new();
        io::stdin().lock().read_line(&mut line)?;
        Ok(line)
    };
    // What was typed before the question is shown does not answer it.
    forget_typed();
    ask(question, read, |text| console.err(text))
}

/// The right to go on, of the one that writes or of the interrupt that ends the program. Whoever
/// claims it first has it.
struct Claim(AtomicU8);

static CLAIM: Claim = Claim(AtomicU8::new(Claim::FREE));

impl Claim {
    const FREE: u8 = 0;
    const WRITING: u8 = 1;
    const INTERRUPTED: u8 = 2;

    /// Whether it could be had by this one.
    fn take(&self, who: u8) -> bool {
        let (set, fetch) = (Ordering::SeqCst, Ordering::SeqCst);
        self.0.compare_exchange(Self::FREE, who, set, fetch).is_ok()
    }

    fn take_for_writing(&self) {
        while !self.take(Self::WRITING) && self.0.load(Ordering::SeqCst) == Self::INTERRUPTED {
            // The program ends any moment, and has said that nothing was written.
            thread::park();
        }
    }
}

/// From here on an interrupt no longer cancels: the record is written whole. Does not return
/// where an interrupt came first.
pub(super) fn claim_writing() {
    CLAIM.take_for_writing();
}

#[allow(
    clippy::exit,
    reason = "the main thread is waiting for a line or a program that will not come"
)]
fn interrupted(console: &Console) {
    if pager::is_paging() || !CLAIM.take(Claim::INTERRUPTED) {
        return;
    }
    crate::process::interrupt();
    write::abandon();
    console.err(&format!("\nCancelled. {}\n", write::nothing_else()));
    std::process::exit(i32::from(Exit::Interrupted.code()));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(lines: &[&str], whole_word: bool) -> (Choice, String) {
        let mut lines = lines.iter();
        let mut said = String::new();
        let read = || Ok(lines.next().map_or(String::new(), ToString::to_string));
        let question = Question {
            text: "Proceed?",
            whole_word,
        };
        let answer = ask(question, read, |text| said.push_str(text));
        (answer, said)
    }

    #[test]
    fn an_interrupt_does_nothing_once_the_record_is_being_written() {
        use crate::cli::console::ColorChoice;
        claim_writing();
        // Would end this process.
        interrupted(&Console::new(ColorChoice::Never, true, false));
    }

    #[test]
    fn whoever_comes_first_has_the_claim_alone() {
        use std::sync::{Arc, mpsc};
        use std::time::Duration;
        let claim = Arc::new(Claim(AtomicU8::new(Claim::FREE)));
        assert!(claim.take(Claim::INTERRUPTED) && !claim.take(Claim::WRITING));
        // Nothing is written where the interrupt came first: who wants to write waits for the end.
        let (written, writing) = mpsc::channel();
        let theirs = Arc::clone(&claim);
        let writer = thread::spawn(move || {
            theirs.take_for_writing();
            let _ = written.send(());
        });
        assert!(writing.recv_timeout(Duration::from_millis(100)).is_err());
        claim.0.store(Claim::FREE, Ordering::SeqCst);
        writer.thread().unpark();
        assert_eq!(writing.recv(), Ok(()));
        // And the interrupt does nothing where writing has begun.
        assert!(!claim.take(Claim::INTERRUPTED));
    }

    #[test]
    fn words_in_any_case_and_blanks_are_understood() {
        for word in ["proceed\n", "p\n", " YES \r\n", "Y\n"] {
            assert_eq!(answer(&[word], false).0, Choice::Proceed, "{word:?}");
        }
        for word in ["cancel\n", "C\n", "no\n", "n\n", "\n", "", "proceed"] {
            assert_eq!(answer(&[word], false).0, Choice::Cancel, "{word:?}");
        }
    }

    #[test]
    fn three_wrong_answers_cancel() {
        let (given, said) = answer(&["maybe\n", "hm\n", "what\n", "proceed\n"], false);
        assert_eq!(given, Choice::Cancel);
        assert_eq!(said.matches("Proceed? [proceed/cancel] ").count(), 3);
    }

    #[test]
    fn a_habit_is_too_cheap_for_a_loss() {
        let (given, said) = answer(&["yes\n", "proceed\n"], true);
        assert_eq!(given, Choice::Proceed);
        assert!(said.ends_with("Please type \"proceed\" in full, or \"cancel\": "));
        assert_eq!(answer(&["p\n", "yes\n", "n\n"], true).0, Choice::Cancel);
    }
}
