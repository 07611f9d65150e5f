"""Which addresses a server has, and which may see a token."""

import pytest

from observer.base.errors import PublishRefused
from publish.addresses import checked_url, graphql_url, host_of_tool, same_host

PUBLIC = "https://api.github.com"
ENTERPRISE = "https://ghes.example/api/v3"


@pytest.mark.parametrize("given", [ENTERPRISE, f"{ENTERPRISE}/", f" {ENTERPRISE}// "])
def test_a_slash_at_the_end_changes_nothing(given: str) -> None:
    """P24."""
    assert checked_url(given) == ENTERPRISE


@pytest.mark.parametrize("given", ["http://127.0.0.1:4101", "http://localhost:4101/api/v3", "http://[::1]:1"])
def test_this_machine_needs_no_https(given: str) -> None:
    assert checked_url(given) == given


@pytest.mark.parametrize("given", ["https://u:p@h/api", "https://h:0/api", "https://h:99999/", "http://10.0.0.1/api"])
def test_an_address_that_would_give_the_token_away_is_refused(given: str) -> None:
    with pytest.raises(PublishRefused):
        checked_url(given)


@pytest.mark.parametrize(
    ("api", "variable", "graphql"),
    [
        (PUBLIC, "", "https://api.github.com/graphql"),
        (ENTERPRISE, "", "https://ghes.example/api/graphql"),
        ("https://api.octocorp.ghe.com", "", "https://api.octocorp.ghe.com/graphql"),
        (ENTERPRISE, "https://ghes.example/other/graphql/", "https://ghes.example/other/graphql"),
        # What a runner sets for its own server says nothing about the server that was named.
        (ENTERPRISE, "https://api.github.com/graphql", "https://ghes.example/api/graphql"),
        (ENTERPRISE, "http://ghes.example/api/graphql", "https://ghes.example/api/graphql"),
        (ENTERPRISE, "https://[", "https://ghes.example/api/graphql"),
    ],
)
def test_graphql_is_asked_on_the_host_of_the_api_only(api: str, variable: str, graphql: str) -> None:
    """P24: GITHUB_GRAPHQL_URL counts where it agrees with the API's address."""
    assert graphql_url(api, {"GITHUB_GRAPHQL_URL": variable}) == graphql


@pytest.mark.parametrize(
    ("api", "variable", "host"),
    [
        (PUBLIC, "", "github.com"),
        (PUBLIC, "https://github.com", "github.com"),
        (ENTERPRISE, "https://github.com", "ghes.example"),
        (ENTERPRISE, "https://ghes.example", "ghes.example"),
        ("https://api.octocorp.ghe.com", "", "octocorp.ghe.com"),
        ("https://api.corp.example", "https://corp.example", "corp.example"),
        ("https://api.corp.example", "", "api.corp.example"),
    ],
)
def test_the_tool_knows_a_server_by_its_web_name(api: str, variable: str, host: str) -> None:
    assert host_of_tool(api, {"GITHUB_SERVER_URL": variable}) == host


def test_one_server_is_one_scheme_host_and_port() -> None:
    assert same_host("https://h/a", "https://H:443/b?c")
    for other in ("http://h/a", "https://h:444/a", "https://h.evil/a", "/a", "", "https://["):
        assert not same_host("https://h/a", other)
