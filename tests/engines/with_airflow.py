"""Runs exported DAGs with Airflow in this process and holds how they end against `planner simulate`."""

import contextlib
import importlib.util
import json
import os
import pathlib
import shutil
import sys
import time

import cases

ACTIONS = """
import json, os
def run(action, group, nodes, limit):
    fail, late = json.load(open(os.environ["FATES"]))[group + " " + action]
    return [node for node in nodes if node not in fail], late
"""


def loaded(folder):
    """The DAG of a folder; nothing of an earlier one is left."""
    sys.dont_write_bytecode = True
    spec = importlib.util.spec_from_file_location("planner_dag", folder / "planner_dag.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def airflow(case, folder, number):
    case.export("airflow", folder, "--name", f"case{number}")
    (folder / "planner_actions.py").write_text(ACTIONS)
    module = loaded(folder)
    fates = {f"{name} {action}": fate for (name, action), fate in case.fates(module.PLAN).items()}
    (folder / "fates.json").write_text(json.dumps(fates))
    os.environ["FATES"] = str(folder / "fates.json")
    with open(os.devnull, "w") as nowhere, contextlib.redirect_stdout(nowhere):
        with contextlib.redirect_stderr(nowhere):
            run = module.dag.test()
    result = folder / "planner-result.json"
    if not result.exists():
        return "no result"
    return case.differs(json.loads(result.read_text()), str(run.state).endswith("failed"))


def main():
    start = time.monotonic()
    chosen = cases.corpus(sample="--all" not in sys.argv)
    differences = []
    folder = pathlib.Path(os.environ["AIRFLOW__CORE__DAGS_FOLDER"])
    for number, case in enumerate(chosen):
        for file in folder.iterdir():
            file.unlink() if file.is_file() else shutil.rmtree(file)
        what = airflow(case, folder, number)
        if what:
            differences.append((case.name, what))
    sys.exit(cases.report("airflow", chosen, differences, time.monotonic() - start))


if __name__ == "__main__":
    main()
