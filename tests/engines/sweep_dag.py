"""Runs the DAG of fixtures/recipes/sweep with Airflow, and parallel.sh where GNU parallel is there.

What either leaves is what one run of `planner risk` says.
"""

import importlib.util
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import cases

RECIPES = cases.ROOT / "fixtures/recipes/sweep"
SITE = cases.ROOT / "fixtures/retail"


def whole(together, merged):
    """What one run says, at the time of the parts."""
    now = json.loads(merged.read_text())["now"]
    command = [cases.PLANNER, "risk", str(SITE), together, "--now", now, "-o", "json"]
    return subprocess.run(command, capture_output=True, check=True).stdout


def dag(folder, together):
    sys.dont_write_bytecode = True
    # Airflow runs only what lies in its folder.
    home = pathlib.Path(os.environ["AIRFLOW__CORE__DAGS_FOLDER"])
    for file in home.iterdir():
        file.unlink() if file.is_file() else shutil.rmtree(file)
    shutil.copy(RECIPES / "dag.py", home)
    spec = importlib.util.spec_from_file_location("sweep_dag_recipe", home / "dag.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    conf = {"site": str(SITE), "out": str(folder), "together": together, "parts": 5}
    run = module.dag.test(run_conf=conf)
    assert str(run.state).endswith("success"), run.state
    assert len(list(folder.glob("part-*.json"))) == 5
    merged = folder / "risk.json"
    assert merged.read_bytes() == whole(together, merged), together


def parallel(folder):
    path = pathlib.Path(tempfile.mkdtemp(dir=folder))
    (path / "planner").symlink_to(cases.PLANNER)
    env = dict(os.environ, PATH=f"{path}:{os.environ['PATH']}")
    command = ["sh", str(RECIPES / "parallel.sh"), str(SITE), str(folder / "out 'of' it"), "4"]
    subprocess.run(command, env=env, check=True, capture_output=True)
    return folder / "out 'of' it"


def main():
    os.environ["PLANNER"] = cases.PLANNER
    if len(sys.argv) == 3:
        return dag(pathlib.Path(sys.argv[1]), sys.argv[2])
    passed = failed = 0
    for together in ("--pairs", "--triples"):
        with tempfile.TemporaryDirectory() as folder:
            # A run in a process of its own; what it says matters only if it fails.
            command = [sys.executable, __file__, folder, together]
            done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            failed += 1
            print(f"sweep {together}: {done.stdout[-4000:]}{done.stderr[-4000:]}")
        else:
            passed += 1
    if shutil.which("parallel"):
        with tempfile.TemporaryDirectory() as name:
            out = parallel(pathlib.Path(name))
            assert len(list(out.glob("part-*.json"))) == 4
            assert (out / "risk.json").read_bytes() == whole("--pairs", out / "risk.json")
            passed += 1
    else:
        print("sweep: GNU parallel is not there; parallel.sh was not run")
    print(f"{passed} passed, {failed} failed")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
