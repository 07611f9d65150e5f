"""The manifests for three plugin hosts, and the skill they bring.

Each host drops what it does not know without a word, so only fields that it
is known to read are allowed here. Fields and rules are those of Claude Code's
manifest reference, of Codex's `core-plugins/src/manifest.rs` and sample
manifest, of Grok Build's `plugins/manifest.rs`, and of the Agent Skills format.
"""

import os
import re
import shutil
import subprocess
from pathlib import Path

import msgspec
import pytest
import yaml

from observer import __version__
from tests.places import ROOT

_MANIFESTS = (".claude-plugin/plugin.json", ".codex-plugin/plugin.json", ".grok-plugin/plugin.json")
_PLUGIN_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
_SKILL = ROOT / "skills" / "agent-observer" / "SKILL.md"


class _Strict(msgspec.Struct, forbid_unknown_fields=True, rename="camel"):
    """A JSON object with known fields only."""


class _Author(_Strict):
    name: str
    url: str | None = None


class _Interface(_Strict):
    """Codex only: how the plugin is shown."""

    display_name: str
    short_description: str
    developer_name: str
    default_prompt: list[str]


class _Manifest(_Strict):
    name: str
    version: str
    description: str
    author: _Author
    license: str
    keywords: list[str]
    homepage: str | None = None
    repository: str | None = None
    skills: str | None = None
    interface: _Interface | None = None


class _Entry(_Strict):
    name: str
    source: str
    description: str


class _Marketplace(_Strict):
    name: str
    description: str
    owner: _Author
    plugins: list[_Entry]


class _FrontMatter(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    description: str
    license: str
    compatibility: str


@pytest.mark.parametrize("path", _MANIFESTS)
def test_a_manifest_names_this_program_in_this_version(path: str) -> None:
    manifest = _read(path)
    assert (manifest.name, manifest.version) == ("agent-observer", __version__)
    assert _PLUGIN_NAME.fullmatch(manifest.name)
    assert manifest.license in (ROOT / "LICENSE").read_text("utf-8")
    assert len(manifest.description) <= 200


@pytest.mark.parametrize("path", _MANIFESTS)
def test_the_paths_of_a_manifest_lead_to_the_skill(path: str) -> None:
    """Claude Code finds `skills/` by itself; a path begins with `./` and stays inside."""
    declared = _read(path).skills
    if declared is not None:
        assert re.fullmatch(r"\./(?:[\w-]+/)+", declared)
    assert (ROOT / (declared or "skills") / "agent-observer" / "SKILL.md").is_file()


def test_the_manifests_say_the_same() -> None:
    told = [_read(path) for path in _MANIFESTS]
    common = {(each.name, each.version, each.description, each.license, tuple(each.keywords)) for each in told}
    assert len(common) == 1
    assert [path for path, each in zip(_MANIFESTS, told, strict=True) if each.interface] == [_MANIFESTS[1]]


def test_codex_shows_every_suggested_prompt() -> None:
    """At most three, of at most 128 characters; it drops the rest."""
    interface = _read(_MANIFESTS[1]).interface
    assert interface is not None
    assert 0 < len(interface.default_prompt) <= 3
    assert all(0 < len(" ".join(prompt.split())) <= 128 for prompt in interface.default_prompt)


def test_the_checkout_is_a_marketplace_of_one_plugin() -> None:
    text = (ROOT / ".claude-plugin" / "marketplace.json").read_bytes()
    market = msgspec.json.decode(text, type=_Marketplace)
    (entry,) = market.plugins
    manifest = _read(_MANIFESTS[0])
    assert (entry.name, entry.description, entry.source) == (manifest.name, manifest.description, "./")
    assert _PLUGIN_NAME.fullmatch(market.name)


def test_the_hosts_folders_hold_nothing_else() -> None:
    held = {path.relative_to(ROOT).as_posix() for folder in ROOT.glob(".*-plugin") for path in folder.rglob("*")}
    assert held == {*_MANIFESTS, ".claude-plugin/marketplace.json"}


def test_the_skill_follows_the_format() -> None:
    _, front, body = _SKILL.read_text("utf-8").split("---\n", 2)
    told = msgspec.convert(yaml.safe_load(front), _FrontMatter)
    assert told.name == _SKILL.parent.name
    assert len(told.description) <= 1024
    assert len(told.compatibility) <= 500
    assert len(body.splitlines()) < 150
    program = re.findall(r"`(\.\./\S+)`", body)
    assert program
    assert all(os.access(_SKILL.parent / path, os.X_OK) for path in program)


def test_the_program_starts_from_a_plugin_folder(tmp_path: Path) -> None:
    """As a host installs it: copied below a folder of its own, `bin/` on the PATH, called from somewhere else."""
    plugin = tmp_path / "plugins" / "cache" / "agent-observer" / __version__
    plugin.mkdir(parents=True)
    for name in (".claude-plugin", ".codex-plugin", ".grok-plugin", "bin", "observer", "skills"):
        shutil.copytree(ROOT / name, plugin / name, ignore=shutil.ignore_patterns("__pycache__"))
    (plugin / "requirements").mkdir()
    (plugin / "requirements" / "run.txt").write_text("# nothing: what --version needs is in the folder\n", "utf-8")
    environment = {"HOME": str(tmp_path), "PATH": f"{os.environ['PATH']}{os.pathsep}{plugin / 'bin'}"}
    by_name = ["sh", "-c", "agent-observer --version"]
    beside_the_skill = [plugin / "skills" / "agent-observer" / ".." / ".." / "bin" / "agent-observer", "--version"]
    for words in (by_name, beside_the_skill):
        done = subprocess.run(words, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300)
        assert done.stdout == f"agent-observer {__version__}\n", done.stderr


def _read(path: str) -> _Manifest:
    return msgspec.json.decode((ROOT / path).read_bytes(), type=_Manifest)
