"""The settings file: where it lies, what it may say, and how a wrong one is refused by place."""

from pathlib import Path

import pytest
import tomli_w
from hypothesis import given
from hypothesis import strategies as st

from observer import config
from observer.base.errors import ConfigInvalid

HOME = Path("/home/dev")
PATH = Path("/home/dev/.config/agent-observer/config.toml")


def parsed(text: str) -> config.Config:
    return config.parse(text.encode("utf-8"), PATH, home=HOME)


def faults(text: str) -> list[str]:
    """The faulty places, without the heading."""
    with pytest.raises(ConfigInvalid) as refused:
        parsed(text)
    heading, *places = refused.value.message.split("\n  ")
    assert str(PATH) in heading
    assert refused.value.exit_code == 2
    return places


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({}, PATH),
        ({"XDG_CONFIG_HOME": "/conf"}, Path("/conf/agent-observer/config.toml")),
        ({"XDG_CONFIG_HOME": "relative"}, PATH),
        ({"XDG_CONFIG_HOME": "/conf", "AGENT_OBSERVER_CONFIG": "/my.toml"}, Path("/my.toml")),
        ({"AGENT_OBSERVER_CONFIG": "~/my.toml"}, HOME / "my.toml"),
        ({"AGENT_OBSERVER_CONFIG": ""}, PATH),
    ],
)
def test_the_file_lies_where_the_environment_says(environment: dict[str, str], expected: Path) -> None:
    assert config.place(environment, HOME) == expected


def test_everything_that_can_be_said_is_understood() -> None:
    found = parsed(
        'timezone = "Europe/Berlin"\n'
        '[roots]\nclaude = ["~/backup/.claude", "/mnt/x/"]\ncodex = []\n'
        '[projects]\nkit = ["~/kit", "/srv/kit/", "/srv/kit/.worktrees/*"]\n"odd name" = []\n'
    )
    assert found == config.Config(
        PATH,
        exists=True,
        timezone="Europe/Berlin",
        roots={"claude": (HOME / "backup" / ".claude", Path("/mnt/x"))},
        projects={"kit": ("/home/dev/kit", "/srv/kit", "/srv/kit/.worktrees/*"), "odd name": ()},
    )


@pytest.mark.parametrize("text", ["", "\ufeff", "# nothing\n", "[roots]\n[projects]\n"])
def test_an_empty_file_means_defaults(text: str) -> None:
    assert parsed(text) == config.Config(PATH, exists=True)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("timezone = 1", "timezone: must be text"),
        ('timezone = "Mars/Olympus"', "timezone: 'Mars/Olympus'"),
        ("colour = 1", "colour: is not known"),
        ("roots = 1", "roots: must be a table"),
        ('roots.vim = ["/x"]', "roots.vim: is no agent"),
        ('roots.claude = "/x"', "roots.claude: must be a list"),
        ('roots.claude = ["/x", 7]', "roots.claude[1]: must be text"),
        ('roots.claude = ["x"]', "roots.claude[0]: must begin with / or ~/"),
        ('projects."/a/b" = ["/x"]', "projects.'/a/b': a name is"),
        ('projects."" = ["/x"]', "projects.'': a name is"),
        ('projects.a = ["/x"]\nprojects.b = ["/x/"]', "projects.b: /x belongs to a already"),
        ("projects.a = [[]]", "projects.a[0]: must be text"),
    ],
)
def test_a_wrong_place_is_named(text: str, place: str) -> None:
    (found,) = faults(text)
    assert found.startswith(place)


def test_all_wrong_places_are_named_at_once() -> None:
    assert len(faults('timezone = 1\ncolour = 2\nroots.vim = ["/x"]\nprojects.a = ["x", 1]')) == 5


@pytest.mark.parametrize("text", ["timezone = ", "= 1", "[roots", "a = 1\na = 2"])
def test_what_is_no_toml_is_refused_with_the_place(text: str) -> None:
    (found,) = faults(text)
    assert found.startswith("is not TOML: ")
    assert "(at " in found


def test_what_is_no_text_or_too_large_is_refused() -> None:
    for data in (b"\xff\xfe", b"#" * 1_000_001):
        with pytest.raises(ConfigInvalid):
            config.parse(data, PATH, home=HOME)


def understood_or_refused(data: bytes) -> bool:
    """Nothing but settings or a refusal that names a place comes of it."""
    try:
        return config.parse(data, PATH, home=HOME).exists
    except ConfigInvalid as refused:
        return str(PATH) in refused.message and len(refused.message.splitlines()) >= 2


@given(st.binary(max_size=200))
def test_any_bytes_are_understood_or_refused(data: bytes) -> None:
    assert understood_or_refused(data)


_VALUES = st.recursive(
    st.one_of(st.booleans(), st.integers(), st.text(max_size=5), st.sampled_from(["/x", "~/y", "/x/*"])),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.sampled_from(["timezone", "roots", "projects", "claude", "a"]), inner, max_size=3),
    ),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from(["timezone", "roots", "projects", "x"]), _VALUES, max_size=4))
def test_any_document_is_understood_or_refused(document: dict[str, object]) -> None:
    assert understood_or_refused(tomli_w.dumps(document).encode("utf-8", "replace"))
