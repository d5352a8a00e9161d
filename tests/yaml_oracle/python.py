"""Reads texts as PyYAML's safe loader does: a JSON string a line in, a line out for each.

A line begins with `ok` or `error`. Then come the documents that are not null: `~`, `T`, `F`, `iNUMBER`, `fBITS`,
`t` for a time, a JSON string, `[...]`, `{key:value,...}`.
"""

import datetime
import json
import struct
import sys

import yaml

if yaml.__version__ < "6":
    sys.exit("PyYAML 6 or later is wanted")


class Loader(yaml.SafeLoader):
    """The safe loader; bytes that can be decoded stay in base 64, and sets keep their order."""

    def binary(self, node):
        self.construct_yaml_binary(node)
        return node.value


Loader.add_constructor("tag:yaml.org,2002:binary", Loader.binary)
Loader.add_constructor("tag:yaml.org,2002:set", Loader.construct_yaml_map)
sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")


def shown(value, above=()):
    if id(value) in above:
        return "recursive"
    if value is None:
        return "~"
    if value is True:
        return "T"
    if value is False:
        return "F"
    if isinstance(value, int):
        return f"i{value}"
    if isinstance(value, float):
        return "fnan" if value != value else "f" + struct.pack(">d", value).hex()
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, (datetime.date, datetime.datetime)):
        return "t"
    above = (*above, id(value))
    if isinstance(value, tuple):
        return "{" + shown(value[0], above) + ":" + shown(value[1], above) + "}"
    if isinstance(value, list):
        return "[" + ",".join(shown(item, above) for item in value) + "]"
    return "{" + ",".join(shown(key, above) + ":" + shown(item, above) for key, item in value.items()) + "}"


for line in sys.stdin:
    text = json.loads(line)
    try:
        documents = [value for value in yaml.load_all(text, Loader) if value is not None]
        print("ok", *[shown(value) for value in documents], sep="\t")
    except RecursionError:
        print("deep")
    except Exception as fault:  # ValueError and KeyError are refusals too
        print("error", " ".join(str(fault).split()), sep="\t")
