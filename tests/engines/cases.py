"""The cases that every engine is held against, and what a simulated run says of each."""

import json
import os
import pathlib
import subprocess

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
PLANNER = os.environ.get("PLANNER_BIN", str(ROOT / "target/debug/planner"))
NOW = ["--now", "2026-01-01T00:00:00Z"]


class Case:
    """A site, what goes wrong in it, and how `planner simulate` says that it ends."""

    def __init__(self, name, site, faults):
        self.name, self.site, self.faults = name, site, faults
        command = [PLANNER, "simulate", str(site), "-o", "json", *NOW]
        command += ["--faults", str(faults)] if faults else []
        done = subprocess.run(command, capture_output=True, text=True)
        self.wanted = json.loads(done.stdout)
        self.is_valid = self.wanted["result"] != "invalid" and "verdict" in self.wanted

    def export(self, engine, to, *more):
        command = [PLANNER, "export", engine, str(self.site), "--to", str(to), "-q", *NOW, *more]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, (self.name, done.returncode, done.stderr)

    def fates(self, plan):
        """What happens in each step: (group, action) to the nodes that fail, and whether it is late."""
        faults = yaml.safe_load(self.faults.read_text()) if self.faults else None
        return fates(plan, faults or {})

    def differs(self, got, failed):
        """What of a run is not as simulated; None if nothing is."""
        wanted = self.wanted
        for key in ("groupStatus", "nodeStatus", "verdict", "steps"):
            mine = [order(step) for step in got[key]] if key == "steps" else got[key]
            theirs = [order(step) for step in wanted[key]] if key == "steps" else wanted[key]
            if mine != theirs:
                return f"{key}: {mine!r} is not {theirs!r}"
        if not got["complete"]:
            return "the result says that the run has not ended"
        if failed != (wanted["verdict"] == "failed"):
            return f"the run ended {'badly' if failed else 'well'}, the verdict is {wanted['verdict']}"
        return None


def order(step):
    """A step whose lists do not depend on the order of a run."""
    lists = ("nodes", "succeeded", "failed")
    return {key: sorted(value) if key in lists else value for key, value in step.items()}


def fates(plan, faults):
    def of(part, key):
        return set((part or {}).get(key) or [])

    steps = {}
    for group in plan["groups"]:
        for action in ("prepare", "deploy"):
            fail = of(faults.get(action), "fail")
            if action == "deploy":
                fail |= of(faults.get("join"), "fail")
            late = False
            for step in faults.get("steps") or []:
                if (step["group"], step["action"]) != (group["name"], action):
                    continue
                fail |= of(step, "fail")
                if step.get("timeout") or (step.get("seconds") or 0) > plan["limits"][action]:
                    late = True
                    fail |= set(group["nodes"]) - of(step, "done")
            steps[group["name"], action] = (sorted(fail), late)
    return steps


def corpus(sample):
    """The valid cases: all of them, or a sample that has every kind of fault."""
    folder = pathlib.Path(os.environ.get("PLANNER_CASES", ROOT / "fixtures/corpus/airship"))
    cases = []
    for site in sorted(folder.glob("*.yaml")):
        if site.name.endswith(".faults.yaml"):
            continue
        faults = site.with_name(site.stem + ".faults.yaml")
        case = Case(site.stem, site, faults if faults.exists() else None)
        if case.is_valid:
            cases.append(case)
    assert cases, "the corpus is not there"
    if not sample:
        return cases
    with_faults = [case for case in cases if case.faults]
    others = [case for case in cases if not case.faults]
    return (with_faults + others)[: max(20, len(with_faults) + 3)]


def report(engine, cases, differences, seconds):
    for name, what in differences:
        print(f"{engine}: {name}: {what}")
    passed, failed = len(cases) - len(differences), len(differences)
    groups = sum(len(case.wanted["groupStatus"]) for case in cases)
    verdicts = [case.wanted["verdict"] for case in cases]
    count = ", ".join(f"{verdicts.count(word)} {word}" for word in ("success", "partial", "failed"))
    print(f"{engine}: {len(cases)} runs, {groups} groups ({count}), {seconds:.0f} s")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not cases else 0
