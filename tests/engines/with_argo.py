"""Interprets exported workflows and holds how they end against `planner simulate`.

The workflow is accepted by hera's model of it. A task runs once the tasks that its `depends` names
have ended; where the expression does not hold it is omitted. A task runs the script that the
workflow carries, with its parameters, its artifact and its volumes.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

import yaml
from hera.workflows.models import Workflow

import cases

ACTIONS = """
import json, os
FATES = json.load(open(os.environ["FATES"]))
def run(action, group, nodes, limit):
    fail, late = FATES[group + " " + action]
    return [node for node in nodes if node not in fail], late
"""


def holds(expression, phases):
    """Whether an expression over the phases of tasks holds."""
    terms = re.sub(r"([-\w]+)\.(\w+)", lambda term: str(phases[term[1]] == term[2]), expression)
    return eval(terms.replace("&&", " and ").replace("||", " or "))


class Run:
    def __init__(self, workflow, folder, fates, parameters):
        self.templates = {one["name"]: one for one in workflow["spec"]["templates"]}
        given = workflow["spec"]["arguments"]["parameters"]
        self.parameters = {one["name"]: one["value"] for one in given}
        self.parameters.update(parameters)
        self.folder, self.fates = folder, fates
        self.ran = []

    def go(self):
        """Whether the workflow succeeds, and what it gives out."""
        plan = self.templates["plan"]["dag"]
        phases = {}
        for task in plan["tasks"]:
            depends = task.get("depends")
            # Every name in it is that of a task before: the chain is in the order of the plan.
            if depends and not holds(depends, phases):
                phases[task["name"]] = "Omitted"
            else:
                phases[task["name"]] = self.task(task)
        assert plan["target"] == "verdict" and plan["failFast"] is False
        report = self.folder / "state/report.json"
        return phases["verdict"] == "Succeeded", report.read_text() if report.exists() else ""

    def task(self, task):
        template = self.templates[task["template"]]
        values = {f"workflow.parameters.{key}": value for key, value in self.parameters.items()}
        for one in task.get("arguments", {}).get("parameters", []):
            values[f"inputs.parameters.{one['name']}"] = one["value"]
        # The engine replaces its templates everywhere, so nothing else may look like one.
        text = json.dumps(template)
        filled = re.sub(r"\{\{(.*?)\}\}", lambda name: json.dumps(values[name[1]])[1:-1], text)
        template = json.loads(filled)
        for artifact in template.get("inputs", {}).get("artifacts", []):
            (self.folder / pathlib.Path(artifact["path"]).name).write_text(artifact["raw"]["data"])
        script = template["script"]
        env = {one["name"]: one["value"] for one in script.get("env", [])}
        if "PLANNER" in env:
            assert env["PLANNER"] == "/planner"
            env["PLANNER"] = str(self.folder)
        env = dict(os.environ, FATES=str(self.fates), **env)
        command = [sys.executable, "-c", script["source"]]
        done = subprocess.run(command, env=env, capture_output=True, text=True)
        assert "Traceback" not in done.stderr, done.stderr
        self.ran.append(task["name"])
        return "Succeeded" if done.returncode == 0 else "Failed"


def argo(case, folder, parameters=None):
    case.export("argo", folder)
    workflow = yaml.safe_load((folder / "workflow.yaml").read_text())
    Workflow.model_validate(workflow)
    artifact = next(one for one in workflow["spec"]["templates"] if one["name"] == "step")["inputs"]
    plan = json.loads(artifact["artifacts"][0]["raw"]["data"])
    fates = {f"{name} {action}": fate for (name, action), fate in case.fates(plan).items()}
    (folder / "fates.json").write_text(json.dumps(fates))
    # The user's file is a ConfigMap that works as it is; here its code is the test's.
    actions = yaml.safe_load((folder / "actions.yaml").read_text())["data"]
    compile(actions["planner_actions.py"], "planner_actions.py", "exec")
    for name in ("state", "actions"):
        (folder / name).mkdir()
    (folder / "actions/planner_actions.py").write_text(ACTIONS)
    succeeded, result = Run(workflow, folder, folder / "fates.json", parameters or {}).go()
    return case.differs(json.loads(result), not succeeded)


def main():
    start = time.monotonic()
    chosen = cases.corpus(sample="--all" not in sys.argv)
    differences = []
    for case in chosen:
        with tempfile.TemporaryDirectory() as folder:
            what = argo(case, pathlib.Path(folder))
        if what:
            differences.append((case.name, what))
    sys.exit(cases.report("argo", chosen, differences, time.monotonic() - start))


if __name__ == "__main__":
    main()
