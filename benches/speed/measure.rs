//! Running both sides of a ratio and reading clock and memory.

use std::fs::{self, File};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike as _;

use crate::commands::{PLAN, REPORT, RISK};
use crate::editor::Change;
use crate::sites::Site;

/// What the right side does, and how many times its time the program may take.
#[derive(Debug, Clone, Copy)]
pub enum Right {
    /// Parses into span trees.
    Trees,
    /// Draws the parser's events.
    Events,
    /// Draws the events of `saphyr-parser` on one core; at most so many times that.
    Bare(f64),
}

impl Right {
    fn word(self) -> &'static str {
        match self {
            Self::Trees => "trees",
            Self::Events => "events",
            Self::Bare(_) => "bare",
        }
    }

    fn limit(self) -> f64 {
        match self {
            Self::Trees => 1.5,
            Self::Events => 2.5,
            Self::Bare(limit) => limit,
        }
    }
}

/// The machine's part of all measurements.
#[derive(Debug)]
pub struct Run {
    pub jobs: usize,
    pub runs: usize,
    output: PathBuf,
}

impl Run {
    /// Two threads, five runs.
    pub fn here() -> Self {
        let output = crate::sites::folder().join("output");
        Self {
            jobs: 2,
            runs: 5,
            output,
        }
    }

    fn command(&self, arguments: &[&str], site: &Site) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_planner"));
        command
            .args(arguments)
            .stdin(Stdio::null())
            .stderr(Stdio::null());
        if arguments[0] != "--version" {
            command
                .arg("--jobs")
                .arg(self.jobs.to_string())
                .arg(&site.path);
        }
        command.stdout(File::create(&self.output).unwrap());
        command
    }

    /// One whole run of the program.
    fn left(&self, arguments: &[&str], site: &Site) -> Duration {
        let mut command = self.command(arguments, site);
        let start = Instant::now();
        let status = command.status().unwrap();
        let took = start.elapsed();
        // 1 and 3 are answers about the documents; anything else is not a measurement.
        assert!(
            matches!(status.code(), Some(0 | 1 | 3)),
            "{arguments:?}: {status}"
        );
        took
    }

    /// The processor's time of a run.
    fn processor(&self, arguments: &[&str], site: &Site) -> Duration {
        let children = || {
            let used = getrusage(UsageWho::RUSAGE_CHILDREN).unwrap();
            let all = used.user_time() + used.system_time();
            Duration::from_micros(all.num_microseconds().try_into().unwrap())
        };
        let before = children();
        self.left(arguments, site);
        children() - before
    }

    /// One run of the baseline in a process of its own, which says how long it took.
    fn right(&self, right: Right, site: &Site) -> Duration {
        let output = Command::new(std::env::current_exe().unwrap())
            .args(["baseline", right.word(), &self.jobs.to_string()])
            .arg(&site.path)
            .output()
            .unwrap();
        assert!(output.status.success());
        let nanoseconds = String::from_utf8(output.stdout).unwrap();
        Duration::from_nanos(nanoseconds.trim().parse().unwrap())
    }

    /// The program over the baseline.
    pub fn ratio(&self, name: &str, arguments: &[&str], site: &Site, right: Right) {
        let (mut lefts, mut rights) = (Vec::new(), Vec::new());
        for _ in 0..self.runs {
            lefts.push(self.left(arguments, site));
            rights.push(self.right(right, site));
        }
        let (left, right_side) = (median(lefts), median(rights));
        let ratio = left.as_secs_f64() / right_side.as_secs_f64();
        println!(
            "{name}: {ratio:.2} x {} ({} over {}, {:.1} MB of YAML; at most {})",
            right.word(),
            shown(left),
            shown(right_side),
            megabytes(site.bytes),
            right.limit(),
        );
    }

    /// The time of one site over that of another.
    pub fn against(&self, name: &str, arguments: &[&str], site: &Site, other: &Site, limit: f64) {
        self.pair(name, (arguments, site), (arguments, other), limit);
    }

    /// The time of one run over that of another.
    pub fn pair(&self, name: &str, one: (&[&str], &Site), other: (&[&str], &Site), limit: f64) {
        self.over(Self::left, name, [one, other], limit);
    }

    /// The processor's time of one run over that of another.
    pub fn work(&self, name: &str, one: (&[&str], &Site), other: (&[&str], &Site), limit: f64) {
        self.over(Self::processor, name, [one, other], limit);
    }

    fn over(
        &self,
        time: fn(&Self, &[&str], &Site) -> Duration,
        name: &str,
        [one, other]: [(&[&str], &Site); 2],
        limit: f64,
    ) {
        let (mut lefts, mut rights) = (Vec::new(), Vec::new());
        for _ in 0..self.runs {
            lefts.push(time(self, one.0, one.1));
            rights.push(time(self, other.0, other.1));
        }
        let (left, right) = (median(lefts), median(rights));
        println!(
            "{name}: {:.2} x ({} over {}; at most {limit})",
            left.as_secs_f64() / right.as_secs_f64(),
            shown(left),
            shown(right),
        );
    }

    /// The peak of memory over the bytes of YAML.
    pub fn memory(&self, name: &str, arguments: &[&str], site: &Site, limit: f64) {
        let peak = self.peak(arguments, site);
        println!(
            "{name}: {:.2} ({:.0} MB over {:.1} MB; at most {limit})",
            peak as f64 / site.bytes as f64,
            megabytes(peak),
            megabytes(site.bytes),
        );
    }

    /// The peak of memory over so many times the bytes of YAML and 64 MiB.
    pub fn memory_within(&self, name: &str, arguments: &[&str], site: &Site, times: u64) {
        let peak = self.peak(arguments, site);
        let allowed = times * site.bytes + (64 << 20);
        println!(
            "{name}, memory: {:.0} MB over {:.1} MB of YAML, {:.1} x (at most {:.0} MB)",
            megabytes(peak),
            megabytes(site.bytes),
            peak as f64 / site.bytes as f64,
            megabytes(allowed),
        );
    }

    /// The processor's time for an input over that for its half, and its memory, both also over
    /// what is read and printed: where the answer grows faster than the input, they follow the
    /// answer.
    ///
    /// Both are run in turn, so that other work on the machine slows both.
    pub fn grown(&self, name: &str, arguments: &[&str], half: &Site, full: &Site) {
        let (mut halves, mut fulls) = (Vec::new(), Vec::new());
        let (mut half_size, mut size) = (0, 0);
        for _ in 0..self.runs {
            let measured = |site: &Site, times: &mut Vec<Duration>| {
                times.push(self.processor(arguments, site));
                site.bytes + fs::metadata(&self.output).unwrap().len()
            };
            half_size = measured(half, &mut halves);
            size = measured(full, &mut fulls);
        }
        let (half_time, time) = (median(halves).as_secs_f64(), median(fulls).as_secs_f64());
        let ratio = time / half_time;
        println!(
            "{name}: {ratio:.2} x the time of half as many, {:.2} x for twice of what is read and \
             printed ({:.1} ms; at most 2.3)",
            ratio * 2.0 * half_size as f64 / size as f64,
            time * 1e3,
        );
        let peak = self.peak(arguments, full);
        println!(
            "{name}, memory: {:.0} MB over {:.1} MB of YAML and {:.1} MB printed (at most {:.0} MB)",
            megabytes(peak),
            megabytes(full.bytes),
            megabytes(size - full.bytes),
            megabytes(5 * size + (64 << 20)),
        );
    }

    /// Time and memory of an input over those of its half.
    pub fn doubled(&self, name: &str, arguments: &[&str], half: &Site, full: &Site) {
        let (mut halves, mut fulls) = (Vec::new(), Vec::new());
        for _ in 0..self.runs {
            halves.push(self.left(arguments, half));
            fulls.push(self.left(arguments, full));
        }
        let scale = 2.0 * half.bytes as f64 / full.bytes as f64;
        let time = median(fulls).as_secs_f64() / median(halves).as_secs_f64() * scale;
        let memory = self.peak(arguments, full) as f64 / self.peak(arguments, half) as f64 * scale;
        println!("{name}: {time:.2} x the time, {memory:.2} x the memory (at most 2.2)");
    }

    /// Time per round: a run of n candidates has n rounds, so linear rounds take 4 x the time
    /// for twice the candidates.
    pub fn rounds(&self, name: &str, arguments: &[&str], small: &Site, large: &Site) {
        let (mut smalls, mut larges) = (Vec::new(), Vec::new());
        for _ in 0..self.runs {
            smalls.push(self.left(arguments, small));
            larges.push(self.left(arguments, large));
        }
        let (small, large) = (median(smalls), median(larges));
        let ratio = large.as_secs_f64() / small.as_secs_f64() / 2.0;
        println!(
            "{name}: {ratio:.2} ({} over {}; at most 2)",
            shown(large),
            shown(small)
        );
    }

    /// A thousand losses over one plan; the site has about so many to lose.
    pub fn losses(&self, name: &str, site: &Site, count: usize, limit: f64) {
        let (mut plans, mut risks) = (Vec::new(), Vec::new());
        for _ in 0..self.runs {
            plans.push(self.left(PLAN, site));
            risks.push(self.left(RISK, site));
        }
        let (plan, risk) = (median(plans), median(risks));
        let ratio = risk.as_secs_f64() / plan.as_secs_f64() * 1000.0 / count as f64;
        println!(
            "{name}: 1 000 losses for {ratio:.2} plans ({} over {}, {count} losses; at most {limit})",
            shown(risk),
            shown(plan),
        );
    }

    /// The page of a site over its plan as JSON, and how large it is.
    pub fn page(&self, name: &str, site: &Site, limit: f64, most: f64) {
        let (mut plans, mut reports) = (Vec::new(), Vec::new());
        for _ in 0..self.runs {
            plans.push(self.left(PLAN, site));
            reports.push(self.left(REPORT, site));
        }
        let size = std::fs::metadata(&self.output).unwrap().len();
        let (plan, report) = (median(plans), median(reports));
        println!(
            "{name}: {:.2} x plan -o json ({} over {}; at most {limit}), {:.1} MB (at most {most})",
            report.as_secs_f64() / plan.as_secs_f64(),
            shown(report),
            shown(plan),
            megabytes(size),
        );
    }

    /// A change of a site in an editor, over that of a site of half the size; the limits are those
    /// of a site of 26 MB.
    pub fn edited(&self, name: &str, half: Change, (full, bytes): (Change, u64)) {
        println!(
            "{name}: {} of the clock and {} of the processor (at most 150), {:.1} x the processor \
             time of half as much (at most 2.3), {:.1} x the input in memory (at most 6)",
            shown(full.clock),
            shown(full.processor),
            full.processor.as_secs_f64() / half.processor.as_secs_f64(),
            full.peak as f64 / bytes as f64,
        );
    }

    /// How long a run takes.
    pub fn once(&self, name: &str, arguments: &[&str], site: &Site) {
        println!("{name}: {}", shown(self.median_of(arguments, site)));
    }

    /// The time of another program over that of ours, where it is there.
    pub fn beside(&self, name: &str, arguments: &[&str], other: &[&str], site: &Site) {
        let (mut lefts, mut rights) = (Vec::new(), Vec::new());
        for _ in 0..self.runs {
            let mut command = Command::new(other[0]);
            command.args(&other[1..]).arg(&site.path);
            command.stdin(Stdio::null()).stderr(Stdio::null());
            command.stdout(File::create(&self.output).unwrap());
            let start = Instant::now();
            let Ok(status) = command.status() else {
                println!("{name}: {} is not there", other[0]);
                return;
            };
            assert!(status.success(), "{other:?}: {status}");
            rights.push(start.elapsed());
            lefts.push(self.left(arguments, site));
        }
        let (left, right) = (median(lefts), median(rights));
        println!(
            "{name}: `{}` takes {:.1} x the time ({} over {}; at least 20)",
            other.join(" "),
            right.as_secs_f64() / left.as_secs_f64(),
            shown(right),
            shown(left),
        );
    }

    pub fn median_of(&self, arguments: &[&str], site: &Site) -> Duration {
        median((0..self.runs).map(|_| self.left(arguments, site)).collect())
    }

    /// The peak of a run's resident size, in bytes. The kernel's own high-water mark is read
    /// while the program runs; its last reading is at most a millisecond old.
    fn peak(&self, arguments: &[&str], site: &Site) -> u64 {
        let mut child = self.command(arguments, site).spawn().unwrap();
        let status = format!("/proc/{}/status", child.id());
        let mut peak = 0;
        while child.try_wait().unwrap().is_none() {
            let text = fs::read_to_string(&status).unwrap_or_default();
            let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
            let kilobytes = line.and_then(|line| line.trim().strip_suffix(" kB"));
            let now = kilobytes.and_then(|number| number.parse::<u64>().ok());
            peak = peak.max(now.unwrap_or(0) * 1024);
            std::thread::sleep(Duration::from_millis(1));
        }
        peak
    }
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

fn shown(time: Duration) -> String {
    format!("{:.1} ms", time.as_secs_f64() * 1e3)
}

fn megabytes(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}
