"""The whole examination: every check, in one document.

A check that cannot be made because another one failed is left out of `checks`, so
that nothing is called sound that was not looked at.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from observer import config
from observer.adapters.registry import HARNESSES, adapter
from observer.base.errors import ConfigInvalid, LedgerMissing, ObserverError
from observer.config import Config
from observer.doctor import installation, ledger, sources
from observer.doctor.finding import CHECKS, Check, Finding
from observer.doctor.sources import MayRead, Root, may_read
from observer.facts.sources import Known, known
from observer.ledger.open import reader

# Harness → source → how it was last read.
Remembered = Mapping[str, Mapping[str, Known]]


def examine(
    path: Path, *, environment: Mapping[str, str], home: Path, now_ms: int, readable: MayRead = may_read
) -> dict[str, Any]:
    """The `doctor` document for the ledger at `path`."""
    findings = installation.findings()
    done: set[Check] = {"installation", "settings", "permissions", "ledger", "sources"}
    settings = _settings(findings)
    found, remembered = _ledger(path, findings, done)
    roots = _roots(settings, environment, home, remembered or {}, readable)
    findings += sources.findings(roots)
    if remembered is not None:
        findings += sources.expiring(roots, now_ms)
        done.add("retention")
    return {
        "installation": installation.facts(environment),
        "settings": {"path": str(settings.path), "exists": settings.exists},
        "ledger": found,
        "sources": [each.document() for each in roots],
        "checks": {each: not any(finding.check == each for finding in findings) for each in CHECKS if each in done},
        "findings": msgspec.to_builtins(findings),
    }


def _settings(findings: list[Finding]) -> Config:
    """The settings in force; wrong ones are a finding here and count as none."""
    try:
        return config.load()
    except ConfigInvalid as error:
        place = config.current()
        findings.append(Finding("settings", str(place), error.message, error.hint))
        return Config(place, exists=place.exists())


def _ledger(path: Path, findings: list[Finding], done: set[Check]) -> tuple[dict[str, Any] | None, Remembered | None]:
    """What is in the ledger, and the sources it knows by harness (None: cannot be told); findings on the way."""
    findings += ledger.permissions(path)
    try:
        with reader(path) as connection:
            findings += ledger.integrity(connection, path)
            done.add("integrity")
            remembered = {harness: known(connection, harness) for harness in HARNESSES}
            return ledger.facts(connection, path), remembered
    except ObserverError as error:
        refused = ledger.refusal(path, error)
        findings.append(refused)
        done.add(refused.check)
        return None, {} if isinstance(error, LedgerMissing) else None


def _roots(
    settings: Config,
    environment: Mapping[str, str],
    home: Path,
    remembered: Remembered,
    readable: MayRead,
) -> list[Root]:
    """Every place that sync looks in, each once."""
    places: dict[tuple[str, Path], bool] = {}
    for harness in HARNESSES:
        for usual in adapter(harness).roots(environment, home):
            places.setdefault((harness, usual), False)
        for extra in settings.roots.get(harness, ()):
            places.setdefault((harness, extra), True)
    return [
        sources.root(harness, path, remembered.get(harness, {}), configured=configured, readable=readable)
        for (harness, path), configured in places.items()
    ]
