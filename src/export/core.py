# What the steps of a run come to. A plan is a dict with "groups" in the order of the plan; each
# has "name", "critical", "depends_on", "criteria" and "nodes". Records are what has been noted of
# its steps, in order. Everything else follows from these two.

EXPECTED = {"prepare": "not started", "deploy": "prepared"}
REACHED = {"prepare": "prepared", "deploy": "success"}
GOOD = {"prepare": ("prepared", "success"), "deploy": ("success",)}


def status_of(plan, records, before=None):
    """The state of every node of a group after these steps."""
    status = {}
    for group in plan["groups"]:
        for node in group["nodes"]:
            status[node] = "not started"
    for node, state in (before or {}).items():
        if node in status:
            status[node] = state
    for record in records:
        for node in record["succeeded"]:
            status[node] = REACHED[record["action"]]
        for node in record["failed"]:
            status[node] = "failure"
    return status


def to_send(group, action, status):
    """The nodes of a group that a step has to act on."""
    return [node for node in group["nodes"] if status[node] == EXPECTED[action]]


def judged(group, action, status, sent, succeeded, timed_out):
    """The record of a step; `status` is changed to what it is after the step."""
    done = set(succeeded)
    good_nodes = [node for node in sent if node in done]
    bad_nodes = [node for node in sent if node not in done]
    for node in good_nodes:
        status[node] = REACHED[action]
    for node in bad_nodes:
        status[node] = "failure"
    nodes = [node for node in group["nodes"] if node in status]
    total = len(nodes)
    good = sum(1 for node in nodes if status[node] in GOOD[action])
    criteria = group["criteria"]
    percent = criteria.get("percent_successful_nodes")
    minimum = criteria.get("minimum_successful_nodes")
    maximum = criteria.get("maximum_failed_nodes")
    missed = []
    if percent is not None and good * 100 < percent * total:
        missed.append("percent_successful_nodes")
    if minimum is not None and good < minimum:
        missed.append("minimum_successful_nodes")
    if maximum is not None and total - good > maximum:
        missed.append("maximum_failed_nodes")
    timed_out = bool(timed_out and sent)
    reason = "criteria" if missed else "timeout" if timed_out else None
    record = {
        "action": action,
        "group": group["name"],
        "nodes": list(sent),
        "succeeded": good_nodes,
        "failed": bad_nodes,
        "result": "FAILED" if reason else "SUCCESS",
        "reason": reason,
    }
    if timed_out:
        record["timedOut"] = True
    if missed:
        record["criteriaFailed"] = missed
    return record


def begun(result):
    """The records of the steps that a run has begun."""
    return [one for one in result["steps"] if one["reason"] not in ("dependency", "prepare failed")]


def skipped(group, action, reason):
    """The record of a step that is not begun."""
    return {
        "action": action,
        "group": group["name"],
        "nodes": [],
        "succeeded": [],
        "failed": [],
        "result": "FAILED",
        "reason": reason,
    }


def result_of(plan, engine, records, complete, before=None, left_out=(), unselected=()):
    """The result file of a run, whole or so far. A step that is `unselected` was not asked for."""
    noted = {(record["group"], record["action"]): record for record in records}
    unselected = set(unselected)
    steps = []
    ended = {}
    for group in plan["groups"]:
        name = group["name"]
        needed = [ended.get(need) for need in group["depends_on"]]
        for action in ("prepare", "deploy"):
            record = noted.get((name, action))
            if record is None and (name, action) not in unselected:
                if "failed" in needed:
                    record = skipped(group, action, "dependency")
                elif action == "deploy" and ended.get(name) == "failed":
                    record = skipped(group, action, "prepare failed")
            if record is None:
                continue
            steps.append(record)
            if record["reason"]:
                ended[name] = "failed"
            elif action == "deploy":
                ended[name] = "success"
    names = sorted(plan["groups"], key=lambda group: group["place"])
    groups = {one["name"]: ended[one["name"]] for one in names if one["name"] in ended}
    status = status_of(plan, steps, before)
    result = {
        "apiVersion": "planner/v1",
        "kind": "Result",
        "formatVersion": "1",
        "engine": engine,
        "name": plan.get("name", "planner"),
        "plan": plan["digest"],
        "complete": complete,
        "steps": steps,
        "groupStatus": groups,
        "nodeStatus": {node: status[node] for node in sorted(status)},
    }
    if before:
        result["before"] = {node: before[node] for node in sorted(before)}
    if left_out:
        result["leftOut"] = sorted(left_out)
    if complete:
        whole = len(groups) == len(plan["groups"]) and not left_out
        if any(one["critical"] and groups.get(one["name"]) == "failed" for one in names):
            result["verdict"] = "failed"
        elif whole and set(groups.values()) <= {"success"} and "failure" not in status.values():
            result["verdict"] = "success"
        else:
            result["verdict"] = "partial"
    return result


def text_of(result):
    """A result as JSON that no template engine takes for a template."""
    text = json.dumps(result, indent=1).replace("{" + "{", "{\\u007b")
    return text.replace("{" + "%", "\\u007b%").replace("{" + "#", "\\u007b#") + "\n"


def write(path, text):
    """Writes a file whole or not at all."""
    directory = os.path.dirname(os.path.abspath(path))
    handle, new = tempfile.mkstemp(dir=directory, prefix=".planner-")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(new, 0o644)
        os.replace(new, path)
    except BaseException:
        os.unlink(new)
        raise
