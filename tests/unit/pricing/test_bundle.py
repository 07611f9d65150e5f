"""The price files that travel along, and files given by name."""

import hashlib
import json
import subprocess
import sys
from decimal import Decimal
from pathlib import Path

import pytest

from observer.base import data
from observer.base.errors import ScheduleError
from observer.pricing import bundle, figures
from tests.places import ROOT
from tests.unit.pricing import examples

DIGESTS = ROOT / "prices" / "DIGESTS"

# Input, cached, write (5 minutes, 1 hour), output, as first published for that day.
ORIGINAL = {
    "gpt-6-astra": examples.table("10", "1", "12.5", "50"),
    "gpt-5.6-luna": examples.table("0.2", "0.02", "0.25", "1.2"),
    "claude-opus-5-5": examples.table("4", "0.2", {"5m": "5", "1h": "8"}, "20"),
    "claude-fable-5-1": examples.table("10", "0.25", {"5m": "12.5", "1h": "20"}, "50"),
    "claude-haiku-4-5": examples.table("1", "0.1", {"5m": "1.25", "1h": "2"}, "5"),
}


@pytest.mark.parametrize("model", ORIGINAL)
def test_the_known_figures_are_bundled(model: str) -> None:
    prices = bundle.load(None).models[model]
    assert figures.rates(prices.rates) == ORIGINAL[model]


def test_long_tiers_are_bundled_where_they_were_verified() -> None:
    models = bundle.load(None).models
    astra, luna, haiku = (models[name] for name in ("gpt-6-astra", "gpt-5.6-luna", "claude-haiku-5-5"))
    assert astra.long_context_threshold == luna.long_context_threshold == 272_000
    assert astra.long_context_rates is not None
    assert figures.rates(astra.long_context_rates) == examples.table("20", "2", "25", "75")
    assert luna.long_context_rates is None
    assert haiku.long_context_threshold == 100_000


def test_the_free_model_is_free_and_has_no_rate_for_writes() -> None:
    rates = bundle.load(None).models["muse-spark-1.3-contributor-free"].rates
    assert (rates.input, rates.cached_input, rates.output, rates.reasoning_output) == (0, 0, 0, 0)
    assert rates.cache_write is None
    assert rates.cache_write_by_lifetime is None


def test_entries_are_complete_for_their_way_of_counting() -> None:
    """Reasoning costs what output costs; Claude writes have both lifetimes; Codex lists its fallback too."""
    for prices in bundle.load(None).models.values():
        tables = [each for each in (prices.rates, prices.long_context_rates) if each is not None]
        for rates in tables:
            assert rates.input is not None
            assert rates.output == rates.reasoning_output != None  # noqa: E711
        assert prices.source_url is not None
        if prices.semantics == (examples.CLAUDE,):
            assert all(set(rates.cache_write_by_lifetime or ()) == {"5m", "1h"} for rates in tables)
            assert all(rates.cached_input is not None for rates in tables)
        elif prices.rates.input:
            assert prices.semantics == (examples.CODEX, examples.FALLBACK)


def test_only_known_dated_ids_are_aliases() -> None:
    models = bundle.load(None).models
    aliases = {name: prices.model for name, prices in models.items() if name != prices.model}
    assert aliases == {
        "claude-opus-5-5-20260901": "claude-opus-5-5",
        "claude-haiku-4-5-20251001": "claude-haiku-4-5",
    }


def test_disputed_models_have_no_price() -> None:
    models = bundle.load(None).models
    assert models.keys().isdisjoint({"claude-sonnet-4-5", "claude-fable-5-2", "claude-mythos-5-2", "claude-opus-4-1"})
    assert not [name for name in models if name.startswith(("grok", "gemini"))]


def test_a_file_is_named_after_its_day() -> None:
    assert bundle.files()
    for path in bundle.files():
        assert bundle.load(path).as_of == path.stem


def test_released_files_never_change() -> None:
    """Append-only: every file has its digest, every digest its file."""
    listed = {}
    for line in DIGESTS.read_text().splitlines():
        digest, name = line.split("  ")
        listed[name] = digest
    files = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in DIGESTS.parent.glob("*.toml")}
    assert files == listed


def test_the_newest_file_is_in_force(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for day in ("2026-09-24", "2026-12-01", "2026-10-30"):
        text = f'source_url = "https://a.example"\nas_of = "{day}"\n[models]\n'
        (tmp_path / f"{day}.toml").write_text(text)
    (tmp_path / "zzz.toml").write_text("no schedule")
    monkeypatch.setattr(data, "bundled", lambda name: tmp_path)
    assert bundle.load(None).as_of == "2026-12-01"
    assert [path.stem for path in bundle.files()] == ["2026-09-24", "2026-10-30", "2026-12-01"]


def test_an_installation_without_prices_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(data, "bundled", lambda name: tmp_path / "absent")
    with pytest.raises(ScheduleError, match="no price schedule came with this installation"):
        bundle.load(None)


@pytest.mark.parametrize("name", ["p.json", "p.JSON", "p", "p.prices"])
def test_json_is_known_by_its_name_or_its_content(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(b"\xef\xbb\xbf \n" * name.startswith("p.p") + json.dumps(examples.document()).encode())
    assert bundle.load(path).schedule_id == examples.schedule().schedule_id


def test_toml_is_known_by_its_content(tmp_path: Path) -> None:
    path = tmp_path / "prices"
    path.write_bytes(bundle.newest().read_bytes())
    assert bundle.load(path) == bundle.load(None)


def test_a_file_that_cannot_be_read_is_named_with_a_hint(tmp_path: Path) -> None:
    for path in (tmp_path / "absent.toml", tmp_path):
        with pytest.raises(ScheduleError) as refused:
            bundle.load(path)
        assert str(path) in refused.value.message
        assert refused.value.hint


def test_an_invalid_file_is_named_before_its_faults(tmp_path: Path) -> None:
    path = tmp_path / "p.toml"
    path.write_text('as_of = "2026-9-1"\n')
    with pytest.raises(ScheduleError) as refused:
        bundle.load(path)
    assert refused.value.message.startswith(f"{path}: the price schedule is invalid in 3 places:\n  source_url")


def test_thresholds_answer_for_either_comparison() -> None:
    long = {"long_context_threshold": 200_000, "long_context_rates": examples.table(1, 1, 1, 1)}
    models = {
        "over": examples.entry(**long, aliases=["alias"]),
        "at least": examples.entry(**long, long_context_comparison="at_least"),
        "none": examples.entry(),
    }
    schedule = examples.schedule(models=models)
    assert bundle.thresholds(schedule) == {"over": 200_000, "alias": 200_000, "at least": 199_999}
    for name, limit in bundle.thresholds(schedule).items():
        for tokens in (limit - 1, limit, limit + 1):
            assert schedule.models[name].over(tokens) is (tokens > limit)


def test_valuing_loads_nothing_heavy() -> None:
    """Whoever only recomputes evidence pays for no TOML, no terminal, no database."""
    program = (
        "import sys; from observer.pricing import schedule, value, scope; "
        "print(sorted({'tomllib', 'tomli_w', 'rich', 'sqlite3', 'pathlib', 'argparse', 'urllib'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", _with_paths(program)], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


def _with_paths(program: str) -> str:
    return f"import sys; sys.path[:0] = {[str(ROOT), *sys.path]!r}; {program}"


def test_rates_are_shown_as_decimal_text() -> None:
    prices = bundle.load(None).models["claude-haiku-5-5"]
    shown = figures.entry(prices)
    assert shown["rates"]["cache_write_input_tokens"] == {"5m": "0.125", "1h": "0.2"}
    assert shown["web_search_usd_per_1000"] == "10"
    assert prices.web_search_usd_per_1000 == Decimal(10)
    assert json.loads(json.dumps(shown)) == shown
