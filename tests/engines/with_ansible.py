"""Runs exported playbooks with ansible-core and holds how they end against `planner simulate`."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

import cases

BIN = pathlib.Path(sys.executable).parent
ACTION = """---
- name: See what happens to the node in this step
  ansible.builtin.set_fact:
    fate: "{{ (lookup('ansible.builtin.file', playbook_dir ~ '/fates.json') | from_json)[planner_step] }}"
- name: Take too long
  ansible.builtin.set_fact:
    planner_late: "{{ planner_step }}"
  when: fate.late
- name: Fail
  ansible.builtin.fail:
    msg: as the faults say
  when: planner_node in fate.fail
"""


def play(folder, *more, env=None):
    command = [BIN / "ansible-playbook", "-i", "inventory.yml", "site.yml", *more]
    own = {
        "ANSIBLE_TRANSPORT": "local",
        "ANSIBLE_FORKS": "2",
        "ANSIBLE_PYTHON_INTERPRETER": sys.executable,
    }
    env = {**os.environ, **own, **(env or {})}
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, env=env)


def ansible(case, folder):
    case.export("ansible", folder)
    plan = json.loads((folder / "planner/plan.json").read_text())
    keys = {group["name"]: group["hosts_group"] for group in plan["groups"]}
    fates = {
        f"{keys[name]} {action}": {"fail": fail, "late": late}
        for (name, action), (fail, late) in case.fates(plan).items()
    }
    (folder / "fates.json").write_text(json.dumps(fates))
    for action in ("prepare", "deploy"):
        (folder / f"actions/{action}.yml").write_text(ACTION)
    done = play(folder)
    result = folder / "planner-result.json"
    if not result.exists():
        return f"no result: {done.stdout[-2000:]}{done.stderr[-2000:]}"
    return case.differs(json.loads(result.read_text()), done.returncode != 0)


def apart(case):
    with tempfile.TemporaryDirectory() as folder:
        return ansible(case, pathlib.Path(folder))


def main():
    start = time.monotonic()
    chosen = cases.corpus(sample="--all" not in sys.argv)
    differences = []
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for case, what in zip(chosen, pool.map(apart, chosen)):
            if what:
                differences.append((case.name, what))
    sys.exit(cases.report("ansible", chosen, differences, time.monotonic() - start))


if __name__ == "__main__":
    main()
