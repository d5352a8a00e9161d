import json
import os
import sys
import tempfile

#CORE

TOP = os.environ["PLANNER"]
STATE = os.path.join(TOP, "state", "planner-result.json")
GROUP, ACTION = os.environ["GROUP"], os.environ["ACTION"]

with open(os.path.join(TOP, "plan.json"), encoding="utf-8") as file:
    PLAN = json.load(file)

if os.path.exists(STATE):
    with open(STATE, encoding="utf-8") as file:
        state = json.load(file)
    records, before = begun(state), state.get("before", {})
else:
    earlier = json.loads(os.environ["RESUME"] or "{}").get("nodeStatus", {}).items()
    records = []
    before = {node: one for node, one in earlier if one in ("prepared", "success")}


def note(complete):
    result = result_of(PLAN, "argo", records, complete, before)
    write(STATE, text_of(result))
    return result


if ACTION == "report":
    # Only this step has an output: the state of every step would be too much for a workflow.
    write(os.path.join(TOP, "state", "report.json"), text_of(note(True)))
    sys.exit()

group = next(one for one in PLAN["groups"] if one["task"] == GROUP)
status = status_of(PLAN, records, before)
send = to_send(group, ACTION, status)
# If this pod does not come to its end, its nodes have failed and its step has timed out.
records.append(judged(group, ACTION, dict(status), send, [], True))
note(False)
succeeded, timed_out = [], False
if send:
    sys.path.insert(0, os.path.join(TOP, "actions"))
    import planner_actions

    try:
        succeeded, timed_out = planner_actions.run(
            ACTION, group["name"], send, PLAN["limits"][ACTION]
        )
    except Exception as error:
        print("the action has failed, and so have all nodes of this step:", repr(error))
records[-1] = judged(group, ACTION, status, send, succeeded, timed_out)
note(False)
print(json.dumps(records[-1]))
sys.exit(1 if records[-1]["reason"] else 0)
