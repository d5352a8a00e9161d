"""Goes through deployment groups in the order of the plan: see README.md beside this file."""

import importlib.util
import json
import logging
import os
import tempfile
from datetime import timedelta

from airflow.providers.standard.operators.empty import EmptyOperator
from airflow.sdk import DAG, TaskGroup, get_current_context, task
from airflow.sdk.exceptions import AirflowFailException, AirflowTaskTimeout

DAG_ID = @DAG_ID@

PLAN = @PLAN@

#CORE

LOG = logging.getLogger("planner")
HERE = os.path.dirname(os.path.abspath(__file__))
ACTIONS = ("prepare", "deploy")


def beside(name):
    """A module beside this file: the DAG of another plan has one of the same name."""
    spec = importlib.util.spec_from_file_location(f"{name}_{DAG_ID}", f"{HERE}/{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


planner_actions = beside("planner_actions")


def sharing(at):
    """The groups that come before this one and share nodes with it."""
    mine = set(PLAN["groups"][at]["nodes"])
    return [one for one in range(at) if mine.intersection(PLAN["groups"][one]["nodes"])]


def pulled(places):
    """What has been noted of the steps of these groups."""
    instance = get_current_context()["ti"]
    records = []
    for at in places:
        for action in ACTIONS:
            task_id = PLAN["groups"][at]["task"] + "." + action
            record = instance.xcom_pull(task_ids=task_id, key="record")
            if record:
                records.append(record)
    return records


def reached():
    """The states that nodes have kept from the run that this one goes on from."""
    conf = get_current_context()["dag_run"].conf or {}
    states = conf.get("nodeStatus", {}).items()
    return {node: state for node, state in states if state in ("prepared", "success")}


@task(retries=0)
def step(at, action):
    """Acts on the nodes of a group, notes how that went and fails if the group has failed."""
    group = PLAN["groups"][at]
    own = [at] if action == "deploy" else []
    status = status_of(PLAN, pulled(sharing(at) + own), reached())
    send = to_send(group, action, status)
    succeeded, timed_out = [], False
    if send:
        limit = PLAN["limits"][action]
        try:
            succeeded, timed_out = planner_actions.run(action, group["name"], send, limit)
        except AirflowTaskTimeout:
            timed_out = True
        except Exception:
            LOG.exception("the action has failed: so have all nodes of this step")
    record = judged(group, action, status, send, succeeded, timed_out)
    get_current_context()["ti"].xcom_push(key="record", value=record)
    if record["reason"]:
        raise AirflowFailException(record["reason"])


@task(retries=0, trigger_rule="all_done")
def verdict():
    """Writes planner-result.json and fails if a critical group did not succeed."""
    records = pulled(range(len(PLAN["groups"])))
    result = result_of(PLAN, "airflow", records, True, reached())
    path = os.environ.get("PLANNER_RESULT", os.path.join(HERE, "planner-result.json"))
    get_current_context()["ti"].xcom_push(key="result", value=result)
    write(path, text_of(result))
    if result["verdict"] == "failed":
        raise AirflowFailException("a critical group did not succeed")
    return result["verdict"]


with DAG(DAG_ID, schedule=None, catchup=False, max_active_runs=1, max_active_tasks=1) as dag:
    end = verdict.override(task_id="verdict")()
    ended, over, last = {}, {}, {}
    for place, row in enumerate(PLAN["groups"]):
        with TaskGroup(group_id=row["task"], tooltip=row["name"]):
            steps = []
            for number, name in enumerate(ACTIONS):
                seconds = PLAN["limits"][name]
                made = step.override(
                    task_id=name,
                    execution_timeout=timedelta(seconds=seconds) if seconds else None,
                    priority_weight=2 * (len(PLAN["groups"]) - place) - number,
                    weight_rule="absolute",
                )(place, name)
                steps.append(made)
            prepare, deploy = steps
            done = EmptyOperator(task_id="done", trigger_rule="all_done")
        prepare >> deploy >> [done, end]
        for need in row["needs"]:
            ended[need] >> prepare
        for before in sorted({last[node] for node in row["nodes"] if node in last}):
            # However it went there, its nodes are in their state by then.
            over[before] >> [prepare, done]
        ended[place], over[place] = deploy, done
        last.update(dict.fromkeys(row["nodes"], place))
