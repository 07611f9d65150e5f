"""A runner of GitHub Actions in small: runs action.yml and whole workflows for real, against the `github` lab.

Steps are real processes with real GITHUB_* files. Actions of others are played
(checkout, upload-artifact, setup-python); a token can do what the job's
`permissions` say and no more.
"""

import contextlib
import glob
import io
import json
import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from publish import action
from tests.peers import expressions
from tests.peers.enterprise import Enterprise
from tests.peers.lab import Lab
from tests.peers.permissions import permitted

OURS = "OWNER/agent-observer"
RUN_ID = 77
_LINE = re.compile(r"(?P<name>[^=<]+?)(?:<<(?P<end>.+)|=(?P<value>.*))")


@dataclass
class Ended:
    """What a job or a single action left behind."""

    ok: bool = True
    code: int = 0
    outputs: dict[str, str] = field(default_factory=dict)
    summary: str = ""
    log: str = ""
    # The environment of every process that was started.
    environments: list[dict[str, str]] = field(default_factory=list)

    @property
    def commands(self) -> list[str]:
        """The lines that a runner takes for commands."""
        return [line for line in self.log.splitlines() if line.lstrip().startswith("::") or "##[" in line]


@dataclass
class Machine:
    """One runner with a workspace; `checkout` is one of the action whose environment is ready.

    Unless it is `real`, our action is called inside of this process.
    """

    folder: Path
    checkout: Path
    github: Lab
    token: str
    event_name: str = "pull_request"
    event: dict[str, Any] = field(default_factory=dict)
    sha: str = ""
    ref: str = "refs/heads/topic"
    variables: dict[str, str] = field(default_factory=dict)
    real: bool = False
    # Where what is uploaded comes from (fields of Artifact), when it is not this repository's topic branch.
    origin: dict[str, Any] = field(default_factory=dict)
    enterprise: Enterprise | None = None

    def __post_init__(self) -> None:
        self.temporary = self.folder / "temp"
        self.workspace = self.folder / "workspace"
        self.temporary.mkdir(parents=True)
        self.workspace.mkdir()
        self.event = {"repository": {"id": self.github.repository_id, "full_name": self.github.repo}} | self.event
        (self.temporary / "event.json").write_text(json.dumps(self.event), encoding="utf-8")
        (self.temporary / "summary.md").touch()
        self._steps = 0
        self._permissions: dict[str, str] | None = None
        self.github.facade.fail(permitted(self.token, lambda: self._permissions), times=10**6)

    def use(self, **given: str) -> Ended:
        """Runs our action alone; `evidence_` and such name inputs with hyphens by underscores."""
        inputs = {name.replace("_", "-"): text for name, text in given.items()}
        ended = Ended()
        self._action(inputs, self._contexts(ended), ended, {})
        return self._closed(ended)

    def run(
        self, workflow: Path, *, files: Mapping[str, bytes] | None = None, without: str = "", **inputs: Any
    ) -> dict[str, Ended]:
        """Runs the jobs of a workflow: what became of each that did not skip.

        `files` are what a checkout brings; `without` lowers one permission by
        a level, to see that it is needed.
        """
        document = yaml.safe_load(workflow.read_text(encoding="utf-8"))
        # YAML 1.1 takes the key `on` for a truth value.
        assert self.event_name in document[True], self.event_name
        found: dict[str, Ended] = {}
        for name, job in document["jobs"].items():
            if "needs" not in job or (job["needs"] in found and found[job["needs"]].ok):
                ended = self._job(job, files or {}, without, inputs)
                found |= {} if ended is None else {name: ended}
        return found

    def _job(self, job: dict[str, Any], files: Mapping[str, bytes], without: str, inputs: Any) -> Ended | None:
        ended = Ended()
        contexts = self._contexts(ended) | {"inputs": inputs}
        if not expressions.holds(job.get("if", "success()"), contexts):
            return None
        lower = {"write": "read", "read": "none"}
        self._permissions = {
            name: lower[level] if name == without else level for name, level in job["permissions"].items()
        }
        for step in job["steps"]:
            contexts["ok"] = ended.ok
            if expressions.holds(step.get("if", "success()"), contexts):
                self._step(step, contexts, ended, files)
        self._permissions = None
        return self._closed(ended)

    def _step(self, step: dict[str, Any], contexts: dict[str, Any], ended: Ended, files: Mapping[str, bytes]) -> None:
        extra = {name: expressions.expand(text, contexts) for name, text in step.get("env", {}).items()}
        if "run" in step:
            code = self._process(expressions.expand(step["run"], contexts), extra, ended)
        else:
            given = {name: expressions.expand(text, contexts) for name, text in step.get("with", {}).items()}
            code = self._used(step["uses"], given, contexts, ended, files, extra)
        ended.ok, ended.code = ended.ok and code == 0, ended.code or code
        if "id" in step:
            contexts["steps"][step["id"]] = {"outputs": dict(ended.outputs)}

    def _used(
        self,
        uses: str,
        given: dict[str, str],
        contexts: dict[str, Any],
        ended: Ended,
        files: Mapping[str, bytes],
        extra: dict[str, str],
    ) -> int:
        name = uses.partition("@")[0]
        if name == OURS:
            return self._action(given, contexts, ended, extra)
        if name == "actions/checkout":
            assert given["persist-credentials"] == "false"
            for path, data in files.items():
                (self.workspace / path).parent.mkdir(parents=True, exist_ok=True)
                (self.workspace / path).write_bytes(data)
                (self.workspace / path).chmod(0o755)
            return 0
        if name == "actions/upload-artifact":
            return self._upload(given)
        assert name == "actions/setup-python", f"nobody plays {uses}"
        return 0

    def _upload(self, given: dict[str, str]) -> int:
        found = sorted(glob.glob(str(self.workspace / given["path"]), recursive=True))
        if not found:
            return 0 if given["if-no-files-found"] == "ignore" else 1
        packed = {Path(path).name: Path(path).read_bytes() for path in found}
        self.github.artifact(packed, run=RUN_ID, name=given["name"], **self.origin)
        return 0

    def _action(self, given: dict[str, str], contexts: dict[str, Any], ended: Ended, extra: dict[str, str]) -> int:
        """A composite action: inputs with their defaults, steps in turn, outputs at the end, also after a failure."""
        action = yaml.safe_load((self.checkout / "action.yml").read_text(encoding="utf-8"))
        declared = action["inputs"]
        assert set(given) <= set(declared), set(given) - set(declared)
        inside: dict[str, Any] = {
            **contexts,
            "inputs": {
                name: given[name] if name in given else expressions.expand(each.get("default", ""), contexts)
                for name, each in declared.items()
            },
            "steps": {},
        }
        code = 0
        for step in action["runs"]["steps"]:
            own = {name: expressions.expand(text, inside) for name, text in step["env"].items()}
            one = Ended(environments=ended.environments)
            code = self._process(expressions.expand(step["run"], inside), extra | own, one)
            ended.log += one.log
            inside["steps"][step["id"]] = {"outputs": one.outputs}
        ended.outputs |= {name: expressions.expand(each["value"], inside) for name, each in action["outputs"].items()}
        ended.ok, ended.code = ended.ok and code == 0, ended.code or code
        return code

    def _process(self, script: str, extra: Mapping[str, str], ended: Ended) -> int:
        self._steps += 1
        file, output = (self.temporary / f"{kind}-{self._steps}" for kind in ("script", "output"))
        file.write_text(script, encoding="utf-8")
        output.touch()
        environment = self._environment() | dict(extra) | {"GITHUB_OUTPUT": str(output)}
        ended.environments.append(environment)
        ours = script == 'exec "$GITHUB_ACTION_PATH/bin/action"'
        code = self._called(environment, ended) if ours and not self.real else self._started(file, environment, ended)
        ended.outputs |= outputs(output.read_text(encoding="utf-8"))
        return code

    def _called(self, environment: Mapping[str, str], ended: Ended) -> int:
        """What the step of action.yml comes to, without the cost of a process."""
        heard = io.StringIO()
        with contextlib.redirect_stderr(heard):
            code = action.main(environment, heard)
        ended.log += heard.getvalue()
        return code

    def _started(self, file: Path, environment: Mapping[str, str], ended: Ended) -> int:
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", str(file)],
            env=environment,
            cwd=self.workspace,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=120,
            check=False,
        )
        ended.log += done.stdout
        return done.returncode

    def _environment(self) -> dict[str, str]:
        context = self._github()
        named = {f"GITHUB_{name.upper()}": text for name, text in context.items() if isinstance(text, str)}
        del named["GITHUB_TOKEN"]
        return named | {
            "PATH": os.environ["PATH"],
            "HOME": str(self.folder),
            "CI": "true",
            "GITHUB_ACTIONS": "true",
            "GITHUB_ACTION_PATH": str(self.checkout),
            "GITHUB_STEP_SUMMARY": str(self.temporary / "summary.md"),
            "RUNNER_OS": "Linux",
            "RUNNER_TEMP": str(self.temporary),
            **self.variables,
        }

    def _contexts(self, ended: Ended) -> dict[str, Any]:
        variables = {"AGENT_OBSERVER_CA_FILE": str(self.enterprise.ca_file)} if self.enterprise else {}
        return {
            "github": self._github(),
            "inputs": {},
            "ok": ended.ok,
            "steps": {},
            "vars": variables,
            "workspace": str(self.workspace),
        }

    def _github(self) -> dict[str, Any]:
        url = self.enterprise.url if self.enterprise else self.github.api_url
        return {
            "actor": "octocat",
            "api_url": self.enterprise.api_url if self.enterprise else url,
            "event": self.event,
            "event_name": self.event_name,
            "event_path": str(self.temporary / "event.json"),
            "graphql_url": f"{url}/api/graphql" if self.enterprise else f"{url}/graphql",
            "ref": self.ref,
            "repository": self.github.repo,
            "repository_id": str(self.github.repository_id),
            "run_id": str(RUN_ID),
            "server_url": url,
            "sha": self.sha or self.github.head_sha,
            "token": self.token,
            "workspace": str(self.workspace),
        }

    def _closed(self, ended: Ended) -> Ended:
        ended.summary = (self.temporary / "summary.md").read_text(encoding="utf-8")
        shutil.rmtree(self.workspace)
        self.workspace.mkdir()
        return ended


def outputs(text: str) -> dict[str, str]:
    """The outputs in a GITHUB_OUTPUT file, by the runner's own grammar; what is not in it is an error."""
    found, lines = {}, text.split("\n")
    while lines:
        line = lines.pop(0)
        if not line:
            continue
        named = _LINE.fullmatch(line)
        if named is None:
            raise ValueError(f"no output: {line!r}")
        if named["end"] is None:
            found[named["name"]] = named["value"]
            continue
        place = lines.index(named["end"])
        found[named["name"]] = "\n".join(lines[:place])
        lines = lines[place + 1 :]
    return found
