"""What the playbook asks between two steps: which hosts are next, and what the last step came to.

Called by turn.yml. Standard input says how the last step went, standard output what is next. The
state of the run is in planner-result.json, written anew after every step.
"""

import json
import os
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(HERE)
#CORE

def load(path):
    """A JSON file; None if it is not there."""
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    except FileNotFoundError:
        return None


def unselected(plan, tags, skip):
    """The steps that --tags and --skip-tags leave out."""
    out = []
    for group in plan["groups"]:
        for action in ("prepare", "deploy"):
            own = {action, group["tag"], group["hosts_group"]}
            asked = not tags or "all" in tags or own & set(tags) or "tagged" in tags
            if not asked or own & set(skip) or "tagged" in skip:
                out.append((group["name"], action))
    return out


def unreachable(path):
    """The hosts that could not be reached in some task of the step, as the callback notes them."""
    try:
        with open(path, encoding="utf-8") as file:
            hosts = set(file.read().split())
        os.unlink(path)
        return hosts
    except FileNotFoundError:
        return set()


def main():
    asked = json.load(sys.stdin)
    plan = load(os.path.join(HERE, "plan.json"))
    name = ".planner-check.json" if asked["check"] else "planner-result.json"
    path = os.path.join(TOP, name)
    earlier = load(os.path.join(TOP, "planner-result.json"))
    lost = unreachable(os.path.join(TOP, ".planner-unreachable"))
    by_tag = {group["hosts_group"]: group for group in plan["groups"]}
    names = plan["hosts"]
    out = unselected(plan, asked["tags"], asked["skip"])
    if asked["last"] is None:
        records = []
        before = {}
        if asked["resume"]:
            if earlier is None:
                sys.exit("there is no planner-result.json to resume from; leave out planner_resume")
            before = earlier["nodeStatus"]
        limit = {names[host] for host in asked["limit"] if host in names}
        # What failed is tried again from the start.
        again = {"not started": limit.union(names.values()), "failure": limit}
        before = {node: state for node, state in before.items() if node not in again.get(state, ())}
        known = status_of(plan, [], before)
        left = [node for node in known if node not in limit and node not in before]
    else:
        state = load(path)
        records = begun(state)
        before = state.get("before", {})
        left = state.get("leftOut", [])
    status = status_of(plan, records, before)
    for node in left:
        del status[node]
    for group in plan["groups"]:
        if group["nodes"] and not any(node in status for node in group["nodes"]):
            # Left out by a limit.
            out.extend((group["name"], action) for action in ("prepare", "deploy"))

    if asked["last"] and asked["begun"]:
        group, action = by_tag[asked["last"]["group"]], asked["last"]["action"]
        step = group["hosts_group"] + " " + action
        done = [host for host in asked["sent"] if asked["ended"][host] == step]
        good = [names[host] for host in done if host not in lost]
        late = step in asked["late"].values()
        sent = [names[host] for host in asked["sent"]]
        record = judged(group, action, status, sent, good, late)
        records.append(record)

    send, begins, why = [], False, None
    if asked["next"]:
        group, action = by_tag[asked["next"]["group"]], asked["next"]["action"]
        begins = (group["name"], action) not in out
        if begins:
            so_far = result_of(plan, "ansible", records, False, before, left, out)
            for need in group["depends_on"]:
                if so_far["groupStatus"].get(need) == "failed":
                    begins, why = False, "dependency"
            if begins and action == "deploy" and so_far["groupStatus"].get(group["name"]) == "failed":
                begins, why = False, "prepare failed"
        if begins:
            members = dict(group, nodes=[node for node in group["nodes"] if node in status])
            if action == "deploy" and (group["name"], "prepare") in out:
                # Left out by a tag: taken as prepared.
                fresh = to_send(members, "prepare", status)
                status.update({node: "prepared" for node in fresh})
            send = to_send(members, action, status)
            hosts = {node: host for host, node in names.items()}
            send = [hosts[node] for node in send]
            limit = set(asked["limit"])
            send = [host for host in send if host in limit]

    complete = asked["next"] is None
    result = result_of(plan, "ansible", records, complete, before, left, out)
    if complete and asked["check"]:
        os.unlink(path)
    else:
        write(path, text_of(result))
    said = {
        "send": send,
        "begun": begins,
        "why": why,
        "verdict": result.get("verdict"),
        "failed": [name for name, state in result["groupStatus"].items() if state == "failed"],
    }
    print(json.dumps(said))


main()
