"""What an exported playbook does with hosts that cannot be reached, limits, tags, check mode, a kill
in the middle, and names that look like something else."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

import yaml

import cases
from with_ansible import BIN, play

def document(schema, name, data):
    envelope = {
        "schema": "metadata/Document/v1",
        "name": name,
        "layeringDefinition": {"abstract": False, "layer": "site"},
        "storagePolicy": "cleartext",
    }
    return yaml.safe_dump({"schema": schema, "metadata": envelope, "data": data})


def site(groups, nodes, physical=None):
    """A site of groups (name: critical, depends_on, nodes, criteria) and nodes (name: address)."""
    rows = [
        {
            "name": name,
            "critical": critical,
            "depends_on": needs,
            "selectors": [{"node_names": members}],
            **({"success_criteria": criteria} if criteria else {}),
        }
        for name, (critical, needs, members, criteria) in groups.items()
    ]
    provisioner = {"deployment_strategy": "plan", **(physical or {})}
    parts = [
        document(
            "shipyard/DeploymentConfiguration/v1",
            "deployment-configuration",
            {"physical_provisioner": provisioner, "armada": {"manifest": "full-site"}},
        ),
        document("shipyard/DeploymentStrategy/v1", "plan", {"groups": rows}),
        document("drydock/HardwareProfile/v1", "hw", {"vendor": "x", "generation": "1"}),
    ]
    for name, address in nodes.items():
        data = {
            "hardware_profile": "hw",
            "addressing": [{"network": "oam", "address": address}],
            "metadata": {"rack": "r1", "tags": ["t{{ 7 * 6 }}"]},
        }
        parts.append(document("drydock/BaremetalNode/v1", name, data))
    return "---\n".join(parts)


class Site:
    """A folder with an export of a site."""

    def __init__(self, text, *more):
        self.home = tempfile.TemporaryDirectory()
        folder = pathlib.Path(self.home.name)
        (folder / "site.yaml").write_text(text)
        self.site = folder / "site.yaml"
        self.folder = folder / "out"
        self.export(*more)

    def export(self, *more):
        command = [cases.PLANNER, "export", "ansible", self.site, "--to", self.folder, *more]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr

    def act(self, prepare, deploy=None):
        for action, text in (("prepare", prepare), ("deploy", deploy or prepare)):
            (self.folder / f"actions/{action}.yml").write_text(f"---\n{text}")

    def play(self, *more, **env):
        return play(self.folder, *more, env=env)

    def result(self):
        return json.loads((self.folder / "planner-result.json").read_text())

    def log(self):
        """Which node was acted on in which step, in order."""
        path = self.folder / "log"
        return path.read_text().splitlines() if path.exists() else []


LOG = """- name: Log
  ansible.builtin.lineinfile:
    path: "{{ playbook_dir }}/log"
    line: "{{ planner_step }} {{ inventory_hostname }}"
    create: true
    mode: "0644"
  delegate_to: localhost
  throttle: 1
"""


def two_groups():
    return site(
        {
            "first": (False, [], ["n1", "n2"], {"minimum_successful_nodes": 1}),
            "second": (True, ["first"], ["n2", "n3"], {"minimum_successful_nodes": 1}),
        },
        {"n1": "127.0.0.1", "n2": "127.0.0.2", "n3": "127.0.0.3"},
    )


def hosts_that_cannot_be_reached():
    """Nothing listens there: ssh is refused, in the first task or in a later one."""
    at = Site(two_groups(), "--network", "oam")
    inventory = (at.folder / "inventory.yml").read_text()
    assert 'ansible_host: "127.0.0.2"' in inventory
    # Node n1 is here; the others are asked for at a port where nothing is.
    (at.folder / "host_vars").mkdir()
    (at.folder / "host_vars/n1.yml").write_text(
        f"ansible_connection: local\nansible_python_interpreter: {sys.executable}\n"
    )
    at.act(LOG + "- name: Ask the node\n  ansible.builtin.command: 'true'\n  changed_when: false\n")
    options = {"ANSIBLE_TRANSPORT": "ssh", "ANSIBLE_REMOTE_PORT": "9", "ANSIBLE_TIMEOUT": "5"}
    done = at.play(**options)
    result = at.result()
    assert result["nodeStatus"] == {"n1": "success", "n2": "failure", "n3": "failure"}, done.stdout
    assert result["groupStatus"] == {"first": "success", "second": "failed"}
    assert result["verdict"] == "failed" and done.returncode == 2
    # All hosts of a play at once, and one batch after the other.
    (at.folder / "host_vars/n1.yml").unlink()
    for more in ([], ["-e", "planner_serial=1"]):
        done = at.play(*more, **options)
        result = at.result()
        assert set(result["nodeStatus"].values()) == {"failure", "not started"}, done.stdout
        assert result["complete"] and done.returncode == 2


def a_run_that_is_killed():
    at = Site(two_groups())
    wait = """- name: Wait
  ansible.builtin.wait_for:
    timeout: "{{ 60 if planner_step == 'g1_first deploy' else 0 }}"
  when: not planner_resume | default(false) | bool
"""
    at.act(LOG + wait)
    command = [BIN / "ansible-playbook", "-i", "inventory.yml", "site.yml"]
    env = dict(
        os.environ, ANSIBLE_TRANSPORT="local", ANSIBLE_PYTHON_INTERPRETER=sys.executable
    )
    child = subprocess.Popen(
        command, cwd=at.folder, env=env, stdout=subprocess.DEVNULL, start_new_session=True
    )
    end = time.monotonic() + 120
    while not any("g1_first deploy" in line for line in at.log()):
        assert time.monotonic() < end and child.poll() is None, "it never came so far"
        time.sleep(0.2)
    os.killpg(child.pid, signal.SIGKILL)
    child.wait()
    result = at.result()
    assert not result["complete"] and "verdict" not in result
    assert result["nodeStatus"] == {"n1": "prepared", "n2": "prepared", "n3": "not started"}
    (at.folder / "log").unlink()
    command = [cases.PLANNER, "simulate", at.site, "--result", at.folder / "planner-result.json"]
    resume = subprocess.run([*command, "--resume"], capture_output=True, text=True)
    words = resume.stdout.split()
    assert words[0] == "ansible-playbook" and "planner_resume=true" in words, resume
    done = at.play(*words[4:])
    assert done.returncode == 0, done.stdout
    result = at.result()
    assert result["verdict"] == "success" and result["complete"]
    # What was prepared is not prepared again.
    assert not any("g1_first prepare" in line for line in at.log()), at.log()
    assert "g2_second prepare n3" in at.log()
    assert "g2_second prepare n2" not in at.log()


def failed_nodes_are_tried_again():
    at = Site(two_groups())
    fail = """- name: Fail
  ansible.builtin.fail:
  when: inventory_hostname in ['n2', 'n3'] and not planner_resume | default(false) | bool
"""
    at.act(LOG + fail)
    assert at.play().returncode == 2
    assert at.result()["verdict"] == "failed"
    (at.folder / "log").unlink()
    done = at.play("-e", "planner_resume=true", "--limit", "n2,n3")
    assert done.returncode == 0, done.stdout
    assert at.result()["verdict"] == "success"
    assert not any(line.endswith("n1") for line in at.log()), at.log()


def limits_tags_and_check_mode():
    at = Site(two_groups())
    at.act(LOG)
    done = at.play("--limit", "n3")
    assert done.returncode == 0, done.stdout
    assert {line.split()[-1] for line in at.log()} == {"n3"}
    result = at.result()
    assert result["leftOut"] == ["n1", "n2"] and result["verdict"] == "partial"
    (at.folder / "planner-result.json").unlink()
    (at.folder / "log").unlink()

    assert at.play("--check").returncode == 0
    assert not (at.folder / "planner-result.json").exists()
    assert not (at.folder / ".planner-check.json").exists()
    assert at.log() == []

    assert at.play("--tags", "prepare").returncode == 0
    assert {line.split()[1] for line in at.log()} == {"prepare"}
    assert set(at.result()["nodeStatus"].values()) == {"prepared"}
    (at.folder / "log").unlink()
    assert at.play("--tags", "deploy", "-e", "planner_resume=true").returncode == 0
    assert {line.split()[1] for line in at.log()} == {"deploy"}
    assert set(at.result()["nodeStatus"].values()) == {"success"}
    (at.folder / "log").unlink()
    assert at.play("--tags", "second").returncode == 0
    assert {line.split()[0] for line in at.log()} == {"g2_second"}
    assert {line.split()[-1] for line in at.log()} == {"n2", "n3"}


def a_task_that_takes_too_long():
    # The node that does not wait needs some seconds too, where much else runs.
    slow = {"prepare_node_interval": 1, "prepare_node_timeout": 20}
    groups = {"only": (False, [], ["n1", "n2"], {})}
    at = Site(site(groups, {"n1": "dhcp", "n2": "dhcp"}, slow))
    wait = """- name: Wait
  ansible.builtin.wait_for:
    timeout: "{{ 120 if inventory_hostname == 'n1' else 0 }}"
"""
    at.act(wait, LOG)
    assert at.play().returncode == 0
    result = at.result()
    assert result["steps"][0]["reason"] == "timeout" and result["steps"][0]["timedOut"]
    assert result["nodeStatus"] == {"n1": "failure", "n2": "prepared"}
    assert result["verdict"] == "partial"


def names_that_look_like_something_else():
    names = [
        "{{ lookup('pipe', 'touch injected') }}",
        "{% raw %}",
        "!unsafe x",
        "$(touch injected)",
        "a\nb: [",
        "never",
        "prepare",
        "\u2028'\"\\ \U0001f600",
        "x" * 300,
        "../../etc",
        "-oProxyCommand=touch injected",
    ]
    groups = {name: (False, [], [f"n{at}"], {}) for at, name in enumerate(names)}
    at = Site(site(groups, {f"n{at}": "-oProxyCommand=x" for at in range(len(names))}))
    show = """- name: Show
  ansible.builtin.copy:
    content: "{{ [planner_group, planner_tags] | to_json }}"
    dest: "{{ playbook_dir }}/group-{{ inventory_hostname }}"
    mode: "0644"
"""
    at.act(show)
    done = at.play()
    assert done.returncode == 0, done.stdout
    assert set(at.result()["groupStatus"]) == set(names)
    assert set(at.result()["groupStatus"].values()) == {"success"}
    for number, name in enumerate(names):
        shown = json.loads((at.folder / f"group-n{number}").read_text())
        assert shown == [name, ["t{{ 7 * 6 }}"]], shown
    assert not list(at.folder.parent.rglob("injected"))
    lint = [BIN / "ansible-lint", "--offline", "--profile", "production", "--nocolor"]
    env = dict(os.environ, PATH=f"{BIN}:{os.environ['PATH']}")
    done = subprocess.run(lint, cwd=at.folder, capture_output=True, text=True, env=env)
    assert done.returncode == 0, done.stdout + done.stderr


def main():
    checks = [
        hosts_that_cannot_be_reached,
        a_run_that_is_killed,
        failed_nodes_are_tried_again,
        limits_tags_and_check_mode,
        a_task_that_takes_too_long,
        names_that_look_like_something_else,
    ]
    chosen = [one for one in checks if len(sys.argv) < 2 or one.__name__ in sys.argv[1:]]
    failed = 0
    for check in chosen:
        start = time.monotonic()
        try:
            check()
            print(f"ansible: {check.__name__}: {time.monotonic() - start:.0f} s")
        except AssertionError as error:
            failed += 1
            print(f"ansible: {check.__name__}: {error!r}")
    print(f"{len(chosen) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
