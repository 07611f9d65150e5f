"""Machines for the tests of the command line."""

import pytest

from tests.builders import small
from tests.command_line import Cli, machine


@pytest.fixture
def filled(cli: Cli) -> Cli:
    """A machine with records, imported, and a task that owns the Claude session and its subagent."""
    small.fill(cli)
    words = ("--task", "T-1", "--session", "s1", "--exclusive", "--evidence", "its only work", "--with-subagents")
    assert cli("capture", "assign-session", *words).code == 0
    return cli


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Cli:
    """A machine for tests that only read: records, imported, and a task that owns nothing."""
    return small.fill(machine(tmp_path_factory.mktemp("shared")))
