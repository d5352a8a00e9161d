"""Holds the Job and the Workflow of fixtures/recipes/sweep against their schemas, and runs what
their containers run.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import kubernetes_validate
import yaml
from hera.workflows.models import Workflow

import cases

RECIPES = cases.ROOT / "fixtures/recipes/sweep"
SITE = cases.ROOT / "fixtures/retail"


def run(words, folder, env):
    """A command of a container, with its volumes where they are here."""

    def here(word):
        return word.replace("/site", str(SITE)).replace("/sweep", str(folder))

    env = dict(os.environ, PATH=f"{folder}:{os.environ['PATH']}", **env)
    subprocess.run([here(word) for word in words], env=env, check=True, capture_output=True)


def same(folder, together):
    merged = folder / "risk.json"
    now = json.loads(merged.read_text())["now"]
    command = [cases.PLANNER, "risk", str(SITE), together, "--now", now, "-o", "json"]
    once = subprocess.run(command, capture_output=True, check=True).stdout
    assert merged.read_bytes() == once, together


def job(folder):
    parts, merge = yaml.safe_load_all((RECIPES / "job.yaml").read_text())
    for document in (parts, merge):
        kubernetes_validate.validate(document, "1.30", strict=True)
    spec = parts["spec"]
    assert spec["completionMode"] == "Indexed"
    container = spec["template"]["spec"]["containers"][0]
    env = {one["name"]: one["value"] for one in container["env"]}
    for index in range(spec["completions"]):
        run(container["command"], folder, dict(env, JOB_COMPLETION_INDEX=str(index)))
    assert len(list(folder.glob("part-*.json"))) == spec["completions"]
    run(merge["spec"]["template"]["spec"]["containers"][0]["command"], folder, {})
    same(folder, "--pairs")


def workflow(folder, given):
    document = yaml.safe_load((RECIPES / "workflow.yaml").read_text())
    Workflow.model_validate(document)
    templates = {one["name"]: one for one in document["spec"]["templates"]}
    values = {one["name"]: one["value"] for one in document["spec"]["arguments"]["parameters"]}
    values.update(given)
    (part,), (merge,) = templates["sweep"]["steps"]

    def filled(text, **more):
        names = {f"workflow.parameters.{key}": value for key, value in values.items()}
        names.update(more)
        return re.sub(r"\{\{(.*?)\}\}", lambda name: names[name[1]], text)

    span = part["withSequence"]
    for number in range(int(span["start"]), int(filled(span["end"])) + 1):
        (argument,) = part["arguments"]["parameters"]
        number = {"inputs.parameters.number": filled(argument["value"], item=str(number))}
        container = templates[part["template"]]["container"]
        words = container["command"] + container["args"]
        run([filled(word, **number) for word in words], folder, {})
    assert len(list(folder.glob("part-*.json"))) == int(values["parts"])
    script = templates[merge["template"]]["script"]
    run([*script["command"], "-c", script["source"]], folder, {})
    same(folder, values["together"])


def main():
    tries = [
        lambda folder: job(folder),
        lambda folder: workflow(folder, {}),
        lambda folder: workflow(folder, {"together": "--triples", "parts": "3"}),
    ]
    for attempt in tries:
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "planner").symlink_to(cases.PLANNER)
            attempt(folder)
    print(f"{len(tries)} passed, 0 failed")


if __name__ == "__main__":
    sys.exit(main())
