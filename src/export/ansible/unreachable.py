"""Notes the hosts that a task could not reach, which playbooks are not told of."""

import os

from ansible.plugins.callback import CallbackBase

DOCUMENTATION = """
name: planner_unreachable
type: aggregate
short_description: notes hosts that cannot be reached
description:
  - A task that cannot reach its host is ignored, so that the other groups go on. This callback
    notes the host, and the step counts it as failed.
"""


class CallbackModule(CallbackBase):
    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "aggregate"
    CALLBACK_NAME = "planner_unreachable"

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        top = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
        self.path = os.path.join(top, ".planner-unreachable")

    def v2_runner_on_unreachable(self, result):
        host = getattr(result, "host", None) or result._host
        with open(self.path, "a", encoding="utf-8") as file:
            file.write(host.get_name() + "\n")
