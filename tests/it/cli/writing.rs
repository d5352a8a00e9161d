//! What the program writes: one record a number, files whole, links, owners and modes kept.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::process::{Command, Stdio};
use std::thread;

use crate::support::{Folder, application, site};

/// A site that one fix mends: the label must be quoted.
pub(crate) const FIXABLE: &str = "apiVersion: planner/v1\nkind: Project\nmetadata:\n  \
                                  name: retail\n  labels:\n    gpu: yes\n";

/// Runs the same command in many processes at once and gives their statuses and what they said.
fn at_once(commands: Vec<Command>) -> Vec<(i32, String)> {
    let start = |mut command: Command| {
        let pipes = command.stdout(Stdio::piped()).stderr(Stdio::piped());
        pipes.spawn().unwrap()
    };
    let children: Vec<_> = commands.into_iter().map(start).collect();
    let ended = children.into_iter().map(|child| {
        let output = child.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.code().unwrap_or(-1), said)
    });
    ended.collect()
}

#[test]
fn two_runs_never_take_one_number() {
    for _ in 0..12 {
        let more = "---\napiVersion: planner/v1\nkind: Package\nmetadata: {name: other}\nspec: {project: retail}\n";
        let second = application("cache", "1", false).replace("package: shop", "package: other");
        let folder = Folder::of(&[("a.yaml", &[&site(), more, &second].concat())]);
        let one = ["plan", "--yes", "--package", "shop", "."];
        let ended = at_once(vec![
            folder.command(&one),
            folder.command(&["plan", "--yes", "."]),
        ]);
        let mut statuses: Vec<i32> = ended.iter().map(|(status, _)| *status).collect();
        statuses.sort_unstable();
        let records = folder.files().len() - 1;
        match statuses[..] {
            // The second began only after the first was done.
            [0, 0] => assert!(records <= 2, "{ended:?}"),
            [0, 1] => {
                assert_eq!(records, 1, "{ended:?}");
                assert!(
                    ended
                        .iter()
                        .any(|(status, said)| *status == 1 && said.contains("plan again")),
                    "{ended:?}"
                );
            }
            _ => panic!("{ended:?}"),
        }
        let numbers: Vec<String> = folder.files();
        let firsts = numbers.iter().filter(|name| name.contains("/0001-"));
        assert_eq!(firsts.count(), 1, "{numbers:?}");
        folder.run(&["validate", "."]).ends(0);
    }
}

#[test]
fn a_number_too_large_is_an_error() {
    let folder = Folder::of(&[
        ("a.yaml", &site()),
        ("planner-records/18446744073709551615-x.yaml", "# mine\n"),
    ]);
    folder
        .at(&["plan", "--yes", "."])
        .ends(1)
        .says("no record number is left");
    assert_eq!(folder.files().len(), 2);
}

#[test]
fn what_killed_runs_left_behind_is_swept_up() {
    let folder = Folder::of(&[
        ("a.yaml", &site()),
        ("planner-records/.planner-Old123", "half a record"),
        ("planner-records/.planner-New123", "another run's"),
        ("planner-records/.kept", "mine"),
    ]);
    let old = folder.path().join("planner-records/.planner-Old123");
    let touched = Command::new("touch")
        .args(["-d", "2 hours ago"])
        .arg(&old)
        .status();
    assert!(touched.unwrap().success());
    folder.at(&["plan", "--yes", "."]).ends(0);
    assert_eq!(
        folder.files(),
        [
            "a.yaml",
            "planner-records/.kept",
            "planner-records/.planner-New123",
            "planner-records/0001-shop.yaml"
        ]
    );
}

#[test]
fn a_fix_keeps_the_mode_and_refuses_what_it_would_break() {
    let folder = Folder::of(&[
        ("a.yaml", FIXABLE),
        ("b.yaml", &FIXABLE.replace("retail", "b")),
    ]);
    let a = folder.path().join("a.yaml");
    fs::set_permissions(&a, fs::Permissions::from_mode(0o640)).unwrap();
    folder.at(&["validate", "--fix", "a.yaml"]).ends(0);
    assert!(folder.read("a.yaml").contains("gpu: \"yes\""));
    assert_eq!(
        fs::metadata(&a).unwrap().permissions().mode() & 0o777,
        0o640
    );

    folder.write("a.yaml", FIXABLE);
    fs::hard_link(&a, folder.path().join("other")).unwrap();
    folder
        .at(&["validate", "--fix", "."])
        .ends(1)
        .says("cannot write a.yaml: it has 2 hard links");
    assert_eq!(folder.read("a.yaml"), FIXABLE);
    assert_eq!(fs::metadata(&a).unwrap().nlink(), 2);
    assert!(
        !folder.read("b.yaml").contains('"'),
        "all files are looked at before the first is written"
    );

    fs::remove_file(folder.path().join("other")).unwrap();
    fs::set_permissions(&a, fs::Permissions::from_mode(0o444)).unwrap();
    folder
        .at(&["validate", "--fix", "a.yaml"])
        .ends(1)
        .says("cannot write a.yaml: it is read-only");
    assert_eq!(folder.read("a.yaml"), FIXABLE);
}

/// A list that lets one more user write, as the system keeps it.
fn access_list() -> Vec<u8> {
    let mut list = 2_u32.to_le_bytes().to_vec();
    for (tag, rights, user) in [
        (0x01_u16, 6_u16, u32::MAX),
        (0x02, 6, 1234),
        (0x04, 4, u32::MAX),
        (0x10, 6, u32::MAX),
        (0x20, 4, u32::MAX),
    ] {
        list.extend(tag.to_le_bytes());
        list.extend(rights.to_le_bytes());
        list.extend(user.to_le_bytes());
    }
    list
}

#[test]
#[cfg(target_os = "linux")]
fn a_fix_keeps_extended_attributes_and_access_lists() {
    use rustix::fs::{XattrFlags, getxattr, setxattr};
    for (name, value) in [
        ("user.note", b"mine".to_vec()),
        ("system.posix_acl_access", access_list()),
    ] {
        let folder = Folder::of(&[("a.yaml", FIXABLE)]);
        let path = folder.path().join("a.yaml");
        if setxattr(&path, name, &value, XattrFlags::empty()).is_err() {
            // Not every file system has them.
            continue;
        }
        folder.at(&["validate", "--fix", "a.yaml"]).ends(0);
        assert!(folder.read("a.yaml").contains("gpu: \"yes\""));
        let mut kept = Vec::with_capacity(1024);
        getxattr(&path, name, rustix::buffer::spare_capacity(&mut kept)).unwrap();
        assert_eq!(kept, value, "{name}");
    }
}

#[test]
fn an_output_to_a_stream_of_the_caller_is_written_there() {
    let folder = Folder::of(&[("a.yaml", &site())]);
    let planner = crate::support::PLANNER;
    for script in [
        format!("{planner} plan a.yaml -o json=/dev/stdout | cat > out"),
        format!("{planner} plan a.yaml -o json=/dev/stdout > out"),
        format!("{planner} plan a.yaml -o json=/dev/fd/3 3> out"),
        format!("{planner} plan a.yaml -o json=>(cat > out) | cat; while ! [ -s out ]; do :; done"),
    ] {
        let mut command = Command::new("bash");
        let command = command.args(["-c", &script]).current_dir(folder.path());
        let answer = crate::support::answer(command);
        assert!(!answer.err.contains("cannot write"), "{script}: {answer:?}");
        assert!(folder.read("out").contains("\"formatVersion\""), "{script}");
        fs::remove_file(folder.path().join("out")).unwrap();
    }
}

/// Saves a plan, or writes the answer, to a file in the folder.
fn to(folder: &Folder, target: &str) -> [crate::support::Answer; 2] {
    let json = format!("json={target}");
    [
        folder.at(&["plan", "a.yaml", "--out", target]),
        folder.at(&["plan", "a.yaml", "-o", &json]),
    ]
}

#[test]
fn what_is_no_file_is_written_to_and_never_replaced() {
    use std::os::unix::fs::FileTypeExt as _;
    let folder = Folder::of(&[("a.yaml", &site()), ("d/readme.txt", "")]);
    let path = |name: &str| folder.path().join(name);
    let kind = |name: &str| fs::symlink_metadata(path(name)).unwrap().file_type();
    let pipe = Command::new("mkfifo").arg(path("d/pipe")).status().unwrap();
    assert!(pipe.success());
    for _ in 0..2 {
        let reader = {
            let pipe = path("d/pipe");
            thread::spawn(move || {
                (
                    fs::read_to_string(&pipe).unwrap(),
                    fs::read_to_string(pipe).unwrap(),
                )
            })
        };
        for answer in to(&folder, "d/pipe") {
            answer.ends(0);
        }
        let (saved, answer) = reader.join().unwrap();
        assert!(saved.contains("SavedPlan") && answer.contains("formatVersion"));
        assert!(kind("d/pipe").is_fifo());
    }
    let made = Command::new("mknod")
        .args(["d/null", "c", "1", "3"])
        .current_dir(folder.path())
        .output();
    // Only some users may make devices.
    if made.unwrap().status.success() {
        for answer in to(&folder, "d/null") {
            answer.ends(0);
        }
        assert!(kind("d/null").is_char_device());
    }
    let _socket = std::os::unix::net::UnixListener::bind(path("d/socket")).unwrap();
    for answer in to(&folder, "d/socket") {
        answer.ends(64).says("it is a socket");
    }
    assert!(kind("d/socket").is_socket());
    for answer in to(&folder, "d") {
        answer.ends(64).says("it is a directory");
    }
}

#[test]
fn nothing_is_written_into_git() {
    let folder = Folder::of(&[
        ("a.yaml", &site()),
        (".git/HEAD", ""),
        ("own/.git", "gitdir: ../.git/x\n"),
    ]);
    symlink(".git", folder.path().join("linked")).unwrap();
    symlink(".git/hooks", folder.path().join("hooks")).unwrap();
    fs::create_dir(folder.path().join(".git/hooks")).unwrap();
    let before = folder.files();
    for target in [
        ".git/config",
        ".GIT/config",
        "linked/x",
        "hooks/pre-commit",
        "own/.git",
        "d/../.git/HEAD",
    ] {
        fs::create_dir_all(folder.path().join("d")).unwrap();
        fs::create_dir_all(folder.path().join(".GIT")).unwrap();
        for answer in to(&folder, target) {
            answer.ends(64).says("it is inside .git");
        }
    }
    assert_eq!(folder.files(), before);
}

#[test]
fn a_site_that_does_not_fit_into_memory_is_refused() {
    let folder = Folder::of(&[("a.yaml", &site())]);
    let large = fs::File::create(folder.path().join("b.yaml")).unwrap();
    large.set_len(100 << 20).unwrap();
    let limited = |arguments: &str| {
        let script = format!(
            "ulimit -v 524288; exec {} {arguments}",
            crate::support::PLANNER
        );
        crate::support::answer(
            Command::new("sh")
                .args(["-c", &script])
                .current_dir(folder.path()),
        )
    };
    for arguments in ["plan .", "validate .", "risk .", "plan . -o json"] {
        let answer = limited(arguments);
        answer.ends(1).says("not enough memory to read");
    }
    limited("plan a.yaml").ends(0);
    limited("plan a.yaml --out shop.plan").ends(0);
    limited("show shop.plan").ends(0);
    let plan = fs::OpenOptions::new()
        .write(true)
        .open(folder.path().join("shop.plan"));
    plan.unwrap().set_len(60 << 20).unwrap();
    limited("show shop.plan")
        .ends(1)
        .says("not enough memory to read");
}

/// As many clusters as placements, each of which selects all of them.
#[cfg(target_os = "linux")]
fn hub_of(many: usize) -> String {
    let mut hub = String::from(
        "{apiVersion: cluster.open-cluster-management.io/v1beta2, kind: ManagedClusterSetBinding, \
         metadata: {name: global, namespace: own}, spec: {clusterSet: global}}\n",
    );
    for at in 0..many {
        hub.push_str(&format!(
            "---\n{{apiVersion: cluster.open-cluster-management.io/v1, kind: ManagedCluster, metadata: \
             {{name: cluster{at}}}, spec: {{hubAcceptsClient: true}}}}\n---\n{{apiVersion: \
             cluster.open-cluster-management.io/v1beta1, kind: Placement, metadata: {{name: p{at}, \
             namespace: own}}, spec: {{}}}}\n"
        ));
    }
    hub
}

/// What a plan takes is known only when it is made.
#[cfg(target_os = "linux")]
#[test]
fn a_plan_that_does_not_fit_into_memory_ends_with_a_message() {
    let folder = Folder::of(&[("hub.yaml", &hub_of(600)), ("large.yaml", &hub_of(1200))]);
    let limited = |kilobytes: u32, arguments: &str| {
        let planner = crate::support::PLANNER;
        let script = format!("ulimit -c 0; ulimit -v {kilobytes}; exec {planner} {arguments}");
        let mut command = Command::new("sh");
        command.args(["-c", &script]).current_dir(folder.path());
        crate::support::answer(&mut command)
    };
    let answer = limited(180_000, "plan large.yaml --jobs 1 --no-input");
    // Where other threads have taken their share by then, it is seen before the file is read.
    let seen_early = answer.err.contains("planner: not enough memory to read");
    let said = answer.ends(1);
    if !seen_early {
        said.says("out of memory: the limit (`ulimit -v`) is 175 MiB");
    }
    // What fits is answered as without a limit.
    limited(4_000_000, "plan hub.yaml --jobs 1 --no-input").ends(0);
    limited(4_000_000, "plan absent.yaml").ends(66);
}

#[test]
fn an_output_through_a_link_writes_what_the_link_names() {
    let folder = Folder::of(&[("a.yaml", &site()), ("real.json", "old")]);
    for (link, target) in [("link.json", "real.json"), ("new.json", "fresh.json")] {
        symlink(target, folder.path().join(link)).unwrap();
        folder
            .at(&["plan", "a.yaml", "-o", &format!("json={link}")])
            .ends(0);
        assert!(folder.path().join(link).is_symlink());
        assert!(folder.read(target).starts_with('{'), "{target}");
    }
}

#[test]
fn files_are_on_the_disk_before_they_take_their_name() {
    if Command::new("strace").arg("-V").output().is_err() {
        return;
    }
    let folder = Folder::of(&[("a.yaml", &site()), ("f.yaml", FIXABLE)]);
    for args in [
        &["plan", "--yes", "a.yaml"][..],
        &["plan", "a.yaml", "-o", "json=out.json"],
        &["validate", "--fix", "f.yaml"],
    ] {
        let mut command = Command::new("strace");
        let calls = "trace=fsync,rename,renameat,renameat2,link,linkat";
        let traced = command.args(["-f", "-e", calls, crate::support::PLANNER]);
        let traced = traced.args(args).current_dir(folder.path());
        let said = crate::support::answer(traced).err;
        let at = |call: &str| said.find(call);
        let named = at("rename").or_else(|| at("link")).unwrap();
        assert!(at("fsync(").unwrap() < named, "{said}");
        assert!(said.rfind("fsync(").unwrap() > named, "{said}");
    }
}

#[test]
fn an_editor_that_saves_meanwhile_loses_nothing() {
    let folder = Folder::of(&[("a.yaml", FIXABLE)]);
    let edited = FIXABLE.replace("retail", "edited-elsewhere");
    for round in 0..30 {
        folder.write("a.yaml", FIXABLE);
        let path = folder.path().join("a.yaml");
        let beside = folder.path().join("a.swp");
        let text = edited.clone();
        let save = thread::spawn(move || {
            thread::sleep(std::time::Duration::from_micros(round * 1500));
            fs::write(&beside, text).unwrap();
            fs::rename(&beside, &path).unwrap();
        });
        folder.at(&["validate", "--fix", "a.yaml"]);
        save.join().unwrap();
        assert!(
            folder.read("a.yaml").contains("edited-elsewhere"),
            "{round}"
        );
    }
}

#[test]
fn help_and_version_to_a_full_device_fail() {
    let folder = Folder::new();
    for args in [&["--help"][..], &["--version"], &["plan", "--help"]] {
        let full = fs::OpenOptions::new()
            .write(true)
            .open("/dev/full")
            .unwrap();
        let status = folder.command(args).stdout(full).status().unwrap();
        assert_eq!(status.code(), Some(1), "{args:?}");
    }
}

/// What cannot be written is called as the user calls it, not as the unfinished file beside it.
#[test]
fn errors_name_the_file_that_was_asked_for() {
    let folder = Folder::of(&[("a.yaml", &site())]);
    for (args, name) in [
        (
            &["plan", "a.yaml", "-o", "json=no/out.json"][..],
            "no/out.json",
        ),
        (&["plan", "a.yaml", "--out", "no/shop.plan"], "no/shop.plan"),
        (
            &["validate", "a.yaml", "-o", "sarif=no/a.sarif"],
            "no/a.sarif",
        ),
        (&["report", "a.yaml", "-o", "no/a.html"], "no/a.html"),
        (&["risk", "a.yaml", "-o", "yaml=no/a.yaml"], "no/a.yaml"),
    ] {
        let answer = folder.at(args);
        answer.says("cannot write ");
        answer.says(&format!("{name}: No such file or directory"));
        assert!(!answer.err.contains(".planner-"), "{answer:#?}");
    }
}
