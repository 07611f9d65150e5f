"""The room contracts of pyproject.toml: kept by the code, and able to catch what breaks them."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

from tests.places import ROOT

_LINT = "from importlinter.cli import lint_imports_command; lint_imports_command()"
# One forbidden import per contract, planted where it must not be.
_PLANTED = {
    "observer/base/planted.py": "import observer.records.usage\nimport jinja2\n",
    "observer/adapters/claude/planted.py": "def late():\n    import observer.adapters.codex\n",
    "publish/planted.py": "from observer.ledger import open\n",
    "observer/reports/planted.py": "import publish\nimport sqlite3\n",
    "observer/records/planted.py": "import os\n",
    "observer/native/planted.py": "import httpx\nimport observer.adapters.protocol\nimport rich\n",
    "observer/live/planted.py": "import psutil\n",
}


def lint(root: Path) -> str:
    words = [sys.executable, "-c", _LINT, "--no-cache", "--no-logo"]
    done = subprocess.run(words, cwd=root, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


def test_every_contract_is_kept() -> None:
    said = lint(ROOT)
    assert re.search(r"\b0 broken", said), said


def test_every_contract_catches_a_planted_import(tmp_path: Path) -> None:
    for folder in ("observer", "publish"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    for path, text in _PLANTED.items():
        (tmp_path / path).write_text(text, encoding="utf-8")
    said = lint(tmp_path)
    assert " KEPT" not in said, said
    assert said.count(" BROKEN") == _contracts(), said


def _contracts() -> int:
    return (ROOT / "pyproject.toml").read_text(encoding="utf-8").count("[[tool.importlinter.contracts]]")
