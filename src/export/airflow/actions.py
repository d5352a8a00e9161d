"""What is done to prepare and to deploy nodes. Yours: planner never changes this file."""


def run(action, group, nodes, limit):
    """Prepares or deploys nodes of a group; does nothing yet.

    `action` is "prepare" or "deploy", `group` the name of the group, `nodes` the names of the nodes
    to act on, `limit` the seconds after which the step has timed out (Airflow ends it then). Returns
    the names of the nodes that have succeeded, and whether the step has timed out: a step that has
    fails its group. All other nodes count as failed. Names are whatever the documents say: never
    make them part of a command line without quoting them.
    """
    return nodes, False
