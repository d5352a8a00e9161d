//! The right sides: reading and parsing with nothing else done.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use planner::parallel;
use planner::source::SourceId;
use planner::yaml::{Limits, count_events, cut, parse};

use crate::measure::{Run, shown};
use crate::sites::Site;

/// `baseline trees|events JOBS PATH`: prints the nanoseconds it took.
pub fn run(arguments: &[String]) {
    let [what, jobs, path] = arguments else {
        panic!("baseline WHAT JOBS PATH")
    };
    let jobs: usize = jobs.parse().unwrap();
    let start = Instant::now();
    let files = files(Path::new(path));
    let texts = parallel::map(jobs, &files, |file| fs::read_to_string(file).unwrap());
    let work: Vec<(usize, std::ops::Range<usize>)> = texts
        .iter()
        .enumerate()
        .flat_map(|(at, text)| cut(text, 1 << 20).into_iter().map(move |piece| (at, piece)))
        .collect();
    if what == "events" {
        let counts = parallel::map(jobs, &work, |(at, piece)| {
            count_events(&texts[*at][piece.clone()])
        });
        assert!(counts.iter().sum::<usize>() > 0);
        println!("{}", start.elapsed().as_nanos());
        return;
    }
    let limits = Limits {
        nodes: usize::MAX,
        ..Limits::default()
    };
    let parsed = parallel::map(jobs, &work, |(at, piece)| {
        parse(
            SourceId(u32::try_from(*at).unwrap()),
            &texts[*at],
            piece.clone(),
            limits,
        )
    });
    let took = start.elapsed();
    assert!(parsed.iter().all(|parsed| parsed.faults.is_empty()));
    println!("{}", took.as_nanos());
    // The program ends without clearing up as well.
    std::mem::forget((parsed, texts));
}

/// The files of a site, by path.
fn files(path: &Path) -> Vec<PathBuf> {
    if path.is_file() {
        return vec![path.to_path_buf()];
    }
    let mut files: Vec<PathBuf> = fs::read_dir(path)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    files
}

/// The planning step of one placement inside the process, after loading.
pub fn ocm_step(site: &Site, run: &Run) {
    let _ = (site, run, shown);
}
