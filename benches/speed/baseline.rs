//! The right sides: reading and parsing with nothing else done; by the parser alone, for the quick
//! reader is part of what is measured.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use planner::diagnostic::Sink;
use planner::load::{Request, open};
use planner::ocm;
use planner::options::{CheckOptions, Options};
use planner::parallel;
use planner::source::SourceId;
use planner::yaml::{Dialect, Limits, count_events, cut, parse_by_events};

use crate::measure::Run;
use crate::sites::Site;

/// `baseline trees|events|bare JOBS PATH`: prints the nanoseconds it took.
pub fn run(arguments: &[String]) {
    let [what, jobs, path] = arguments else {
        panic!("baseline WHAT JOBS PATH")
    };
    let jobs: usize = jobs.parse().unwrap();
    let start = Instant::now();
    let files = files(Path::new(path));
    let texts = parallel::map(jobs, &files, |file| fs::read_to_string(file).unwrap());
    if what == "bare" {
        // Another parser, on one core, whatever the jobs.
        let events = texts.iter().map(|text| {
            let parser = saphyr_parser::Parser::new_from_str(text);
            parser.map(Result::unwrap).count()
        });
        assert!(events.sum::<usize>() > 0);
        println!("{}", start.elapsed().as_nanos());
        return;
    }
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
        parse_by_events(
            SourceId(u32::try_from(*at).unwrap()),
            &texts[*at],
            piece.clone(),
            limits,
            &|_| Some(Dialect::Kubernetes),
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

/// The planning step of one placement inside the process, after loading; the original took
/// 126 ms for it on another machine.
pub fn ocm_step(site: &Site, run: &Run) {
    const ORIGINAL: f64 = 126.0;
    let mut request = Request::of(vec![site.path.clone()]);
    request.jobs = run.jobs;
    let loaded = open(&request).expect("a request");
    let documents = loaded.documents();
    let settings = CheckOptions::at("2026-01-01T00:00:00Z".parse().unwrap());
    let options = Options::default();
    let model = ocm::check(&documents, &settings, &mut Sink::default());
    let mut times: Vec<f64> = (0..run.runs)
        .map(|_| {
            let start = Instant::now();
            let rollouts = ocm::rollouts(&model, settings.now);
            let outcome = ocm::plan(&model, rollouts, settings.now, &options);
            let took = start.elapsed();
            assert_eq!(outcome.placements.placed.len(), 1);
            took.as_secs_f64() * 1e3
        })
        .collect();
    times.sort_by(f64::total_cmp);
    let took = times[times.len() / 2];
    println!(
        "ocm: the step of one placement over 10 000 clusters: {took:.2} ms, {:.0} x faster than \
         the original's {ORIGINAL} ms, which are from another machine (at least 20 x)",
        ORIGINAL / took
    );
}
