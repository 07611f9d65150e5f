"""Outcomes: what may be said when nothing was said before."""

from pathlib import Path

import pytest

from observer.base.errors import CaptureRefused
from observer.capture.tasks import OutcomeFields, TaskFields, create, record_outcome
from observer.facts import ownership
from observer.ledger.open import writer


def test_an_outcome_that_was_never_recorded_cannot_be_corrected(tmp_path: Path) -> None:
    """Amending needs something to amend: refused in words, and nothing is written."""
    with writer(tmp_path / "observer.db") as ledger:
        create(ledger, "T-1", TaskFields())
        with pytest.raises(CaptureRefused, match="no outcome of T-1"):
            record_outcome(ledger, "T-1", OutcomeFields(candidate="3f9d2c1"), reason="forgot it")
        assert ownership.outcome(ledger, "T-1") is None
        record_outcome(ledger, "T-1", OutcomeFields(state="complete"))
        record_outcome(ledger, "T-1", OutcomeFields(candidate="3f9d2c1"), reason="forgot it")
        found = ownership.outcome(ledger, "T-1")
    assert found is not None
    assert (found.state, found.candidate) == ("complete", "3f9d2c1")
