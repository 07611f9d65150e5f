"""Where rollouts are looked for, and which files are some."""

from pathlib import Path

from observer.adapters.codex import ADAPTER
from observer.adapters.codex.paths import thread_of
from tests import places
from tests.unit.adapters.codex.rollouts import THREAD

NAME = f"rollout-2026-09-23T10-00-00-{THREAD}.jsonl"


def _lay(path: Path, text: str = "") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def _found(root: Path) -> list[tuple[str, bool]]:
    return [(file.path, file.compressed) for file in ADAPTER.discover(root)]


def test_the_home_is_the_one_that_the_environment_names(tmp_path: Path) -> None:
    assert ADAPTER.roots({}, tmp_path) == [tmp_path / ".codex"]
    assert ADAPTER.roots({"CODEX_HOME": ""}, tmp_path) == [tmp_path / ".codex"]
    assert ADAPTER.roots({"CODEX_HOME": "/srv/codex"}, tmp_path) == [Path("/srv/codex")]
    assert ADAPTER.roots({"CODEX_HOME": "~/other"}, tmp_path) == [tmp_path / "other"]


def test_rollouts_of_both_folders_are_found_in_order(tmp_path: Path) -> None:
    home = tmp_path / "home"
    expected = sorted(
        str(_lay(home / folder / NAME))
        for folder in ("sessions/2026/09/23", "sessions/2026/09/24", "archived_sessions")
    )
    _lay(home / "history.jsonl")
    _lay(home / "sessions/2026/09/23/notes.jsonl")
    _lay(home / "sessions/2026/09/23/rollout-draft.txt")
    assert _found(home) == [(path, False) for path in expected]
    assert _found(home / "archived_sessions") == [(str(home / "archived_sessions" / NAME), False)]
    assert len(_found(home / "sessions")) == 2


def test_nothing_is_found_where_nothing_is(tmp_path: Path) -> None:
    assert _found(tmp_path / "missing") == []
    assert _found(tmp_path) == []


def test_a_home_without_sessions_is_not_searched_for_other_peoples_rollouts(tmp_path: Path) -> None:
    """A plugin that a host copied into the agent's home may bring rollouts as test data."""
    _lay(tmp_path / "plugins/cache/observer/tests/.codex/sessions/2026/09/23" / NAME)
    assert _found(tmp_path) == []
    own = _lay(tmp_path / "sessions/2026/09/23" / NAME)
    assert _found(tmp_path) == [(str(own), False)]


def test_a_compressed_rollout_counts_only_without_its_plain_twin() -> None:
    case = next(places.CASES.glob("26-*"))
    found = [(Path(path).name, packed) for path, packed in _found(case / "home/.codex")]
    assert [(name.endswith(".zst"), packed) for name, packed in found] == [(True, True), (False, False)]


def test_links_are_resolved_and_linked_folders_left_alone(tmp_path: Path) -> None:
    real = _lay(tmp_path / "elsewhere" / NAME)
    day = tmp_path / "home/sessions/2026"
    day.mkdir(parents=True)
    (day / f"rollout-linked-{THREAD}.jsonl").symlink_to(real)
    (day / "loop").symlink_to(day, target_is_directory=True)
    assert _found(tmp_path / "home") == [(str(real.resolve()), False)]


def test_a_linked_home_gives_real_paths(tmp_path: Path) -> None:
    real = _lay(tmp_path / "real/sessions" / NAME)
    (tmp_path / "home").symlink_to(tmp_path / "real", target_is_directory=True)
    assert _found(tmp_path / "home") == [(str(real.resolve()), False)]


def test_the_name_of_a_rollout_tells_its_thread() -> None:
    assert thread_of(f"/x/{NAME}") == THREAD
    assert thread_of(f"/x/{NAME}.zst") == THREAD
    assert thread_of("/x/rollout-mine.jsonl.zst") == "rollout-mine"
