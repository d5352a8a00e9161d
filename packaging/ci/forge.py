"""Calls of a forge's API, for packaging/ci/steps: one comment that is kept up to date, and the
upload of a SARIF report. GitHub, Forgejo and Gitea take the same calls at GITHUB_API_URL.

usage: forge.py comment FILE PATH | forge.py upload FILE | forge.py event KEY.KEY
"""

import base64
import gzip
import json
import os
import re
import sys
import urllib.error
import urllib.request

# A comment may have 65 536 characters on GitHub.
LIMIT = 60_000
PAGE = 50
# So many pages are looked through for the comment of an earlier run.
PAGES = 200
# Tokens of runs may not ask who they are everywhere. Nobody else can have these names there.
OF_RUNS = {"/api/v1": ("forgejo-actions", "gitea-actions"), "": ("github-actions[bot]",)}


def notice(text):
    print("::notice title=planner::" + re.sub(r"[\r\n%]", " ", text))


def call(method, path, body=None, base=None):
    request = urllib.request.Request(
        (base or os.environ["GITHUB_API_URL"]).rstrip("/") + path,
        method=method,
        data=None if body is None else json.dumps(body).encode(),
        headers={
            "Accept": "application/json",
            "Authorization": "Bearer " + os.environ.get("PLANNER_TOKEN", ""),
            "Content-Type": "application/json",
            "User-Agent": "planner",
        },
    )
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.loads(answer.read() or b"null")


def event(keys):
    """The value of the event at keys joined by dots; None if it has none."""
    try:
        with open(os.environ["GITHUB_EVENT_PATH"], encoding="utf-8") as file:
            value = json.load(file)
    except (KeyError, OSError):
        return None
    for key in keys.split("."):
        value = value.get(key) if isinstance(value, dict) else None
    return value


def print_event(keys):
    value = event(keys)
    print("" if value is None else value)


def marker(path):
    # What a comment begins with: a path in it must not end the HTML comment.
    return f"<!-- planner:{re.sub(r'[^A-Za-z0-9._/]', '_', path)} -->"


def own_names():
    """The names under which the token writes."""
    asked = [lambda: call("GET", "/user")["login"]]
    graphql = os.environ.get("GITHUB_GRAPHQL_URL")
    if graphql:
        query = {"query": "{viewer{login}}"}
        asked.append(lambda: call("POST", "", query, graphql)["data"]["viewer"]["login"])
    for ask in asked:
        try:
            name = ask()
        except urllib.error.HTTPError as error:
            if error.code not in (401, 403, 404):
                raise
        except (KeyError, TypeError):
            pass
        else:
            return (name, f"{name}[bot]")
    api = os.environ["GITHUB_API_URL"].rstrip("/")
    return next(names for end, names in OF_RUNS.items() if api.endswith(end))


def earlier(comments, mark):
    """The comment of an earlier run, whatever page it is on: by its mark and by who wrote it.

    Anybody can write the mark, and could edit later what an adopted comment says.

    Forges differ in how long a page may be, and Gitea gives all comments on each: the last page is
    the first that has nothing new.
    """
    names = own_names()
    seen = set()
    for page in range(1, PAGES + 1):
        found = call("GET", f"{comments}?per_page={PAGE}&limit={PAGE}&page={page}")
        fresh = [comment for comment in found if comment["id"] not in seen]
        for comment in fresh:
            written = (comment.get("body") or "").startswith(mark)
            if written and (comment.get("user") or {}).get("login") in names:
                return comment["id"]
        if not fresh:
            return None
        seen.update(comment["id"] for comment in fresh)
    return None


def body(text, mark):
    if len(text) > LIMIT:
        kept = text[:LIMIT].rsplit("\n", 1)[0]
        text = f"{kept}\n\nThe rest is too long for a comment; see the summary of the job.\n"
    return f"{mark}\n{text}"


def comment(file, path):
    number = event("pull_request.number")
    if number is None:
        notice("no pull request to comment on")
        return
    mark = marker(path)
    with open(file, encoding="utf-8") as text:
        text = body(text.read(), mark)
    issues = f"/repos/{os.environ['GITHUB_REPOSITORY']}/issues"
    known = earlier(f"{issues}/{number}/comments", mark)
    if known is None:
        call("POST", f"{issues}/{number}/comments", {"body": text})
    else:
        call("PATCH", f"{issues}/comments/{known}", {"body": text})


def upload(file):
    with open(file, "rb") as report:
        packed = gzip.compress(report.read(), mtime=0)
    call(
        "POST",
        f"/repos/{os.environ['GITHUB_REPOSITORY']}/code-scanning/sarifs",
        {
            "commit_sha": os.environ["GITHUB_SHA"],
            "ref": os.environ["GITHUB_REF"],
            "sarif": base64.b64encode(packed).decode(),
            "tool_name": "planner",
        },
    )


def main():
    step, *arguments = sys.argv[1:]
    try:
        {"comment": comment, "upload": upload, "event": print_event}[step](*arguments)
    except urllib.error.HTTPError as error:
        # Tokens of pull requests from forks may not write.
        if error.code not in (401, 403, 404):
            raise
        notice(f"the {step} was left out: the token may not do that (HTTP {error.code})")


main()
