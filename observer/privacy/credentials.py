"""Secrets in text, found by their form or by the name they are given.

Replaces them and keeps everything around them (behaviour §9.8). Never decides
which text is kept at all. Every rule takes time linear in the text: patterns
are bounded, or anchored where a failing attempt could be repeated.
"""

import re

from observer.privacy import named

PLACEHOLDER = named.PLACEHOLDER

_Table = tuple[tuple[str, tuple[str, ...]], ...]

# What tokens of known forms begin with, after what is in all of them. Plain searches for short texts are
# several times as fast as one pattern of them all, the faster the fewer and the rarer the letters.
_PREFIXES: _Table = (
    ("A", ("AKIA", "ASIA", "AIza")),
    ("-", ("sk-", "xapp-", "gl", "GOCSPX-", "pypi-", "xai-", "nvapi-")),
    (".", ("ya29.", "hvs.", "SG.", "slack.com")),
    ("J", ("eyJ",)),
    ("x", ("xox",)),
)
# Those that all have an underscore.
_UNDERSCORED: _Table = (
    ("_", ("github_pat_", "hf_", "npm_", "r8_", "dop_v1_", "dckr_pat_", "lin_api_", "whsec_")),
    ("k_", ("sk_", "rk_", "gsk_")),
    ("gh", ("ghp_", "gho_", "ghu_", "ghs_", "ghr_")),
    ("shp", ("shpat_", "shpca_", "shppa_", "shpss_")),
)
# Programs that are given a password by a short option.
_PROGRAMS = ("sshpass", "redis-cli", "mysql", "mariadb", "login", "ssh-keygen", "curl", "wget", "http", "secret")

_PRIVATE_KEY = re.compile(
    r"-{4,5} ?BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}"
    r"(?:(?:(?!-{4,5} ?END ).)*+-{4,5} ?END [A-Z0-9 ]{0,40}-{4,5}|.*+)",
    re.DOTALL,
)
# After an escape such as \n or %3D a token begins although a letter precedes it.
_START = r"(?:(?<![A-Za-z0-9])|(?<=\\[nrt])|(?<=%[0-9A-Fa-f]{2}))"
_FORMS = re.compile(
    "|".join(
        (
            rf"{_START}sk-[A-Za-z0-9_-]{{8,}}",
            # Glued to a word it must look like no word itself.
            r"sk-(?=[A-Za-z_-]{0,24}[0-9])(?=[a-z0-9_-]{0,24}[A-Z])[A-Za-z0-9_-]{20,}",
            r"sk-(?:ant|proj|svcacct|admin|or-v1)-[A-Za-z0-9_-]{8,}",
            r"(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{8,}",
            r"gh[pousr]_[A-Za-z0-9_]{10,}",
            r"github_pat_[A-Za-z0-9_]{10,}",
            r"gl(?:pat|dt|rt|rtr|ptt|cbt|soat|agent|imt|ft|ffct)-[A-Za-z0-9_.-]{10,}",
            r"xox[a-z]{1,2}[-.][A-Za-z0-9.-]{8,}",
            r"xapp-[A-Za-z0-9-]{8,}",
            r"hooks\.slack\.com/(?:services|workflows)/[A-Za-z0-9/_-]{4,}",
            r"(?:AKIA|ASIA)[A-Z0-9]{12,}",
            r"AIza[A-Za-z0-9_-]{20,}",
            r"ya29\.[A-Za-z0-9_.-]{10,}",
            r"GOCSPX-[A-Za-z0-9_-]{10,}",
            r"eyJ[A-Za-z0-9_-]{12,}[A-Za-z0-9_.+/=-]*",
            r"eyJ[A-Za-z0-9_-]{2,}\.[A-Za-z0-9_-]{2,}[A-Za-z0-9_.-]*",
            r"hf_[A-Za-z0-9]{16,}",
            r"npm_[A-Za-z0-9]{20,}",
            r"pypi-Ag[A-Za-z0-9_-]{16,}",
            r"hvs\.[A-Za-z0-9_-]{16,}",
            r"SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}",
            rf"{_START}xai-[A-Za-z0-9_-]{{16,}}",
            rf"{_START}gsk_[A-Za-z0-9]{{16,}}",
            rf"{_START}r8_[A-Za-z0-9]{{20,}}",
            r"nvapi-[A-Za-z0-9_-]{20,}",
            r"dop_v1_[a-f0-9]{20,}",
            r"dckr_pat_[A-Za-z0-9_-]{16,}",
            r"shp(?:at|ca|pa|ss)_[A-Fa-f0-9]{16,}",
            r"lin_api_[A-Za-z0-9]{16,}",
            r"whsec_[A-Za-z0-9+/=]{10,}",
        )
    )
)
_SCHEME = re.compile(
    r"\b((?:bearer|basic)[ \t]+)[A-Za-z0-9._~+/=-]{16,}"
    r"|\b(authorization(?:\\*[\"'])?[ \t]{0,4}[:=][ \t]{0,4}(?:\\*[\"'])?"
    r"(?:bearer|basic|token|digest|negotiate|apikey|oauth|aws4-hmac-sha256)[ \t]+)"
    r"(?:[^\s\"'`\\]|\\(?![\"'`]))++(?:, ?[^\"'`\\\n]*+)?"
    r"|\b((?:set-)?cookie[ \t]{0,4}:[ \t]{0,4})[^\s;=\"'`]++=[^\s;\"'`]*+(?:;[ \t]*+[^\s;\"'`]++)*+"
    r"|(--from-literal=[^\s=]{1,64}=)[^\s\"'`]++",
    re.IGNORECASE,
)
# user:password, or a long name with a digit, before the host of an address.
_ADDRESS = re.compile(
    r"(?<=://)(?:[^\s/\"'`<>@]*+@(?:[^\s/\"'`<>@]*@)*"
    r"|[^\s/\"'`<>:@]{0,64}:(?!\d{1,5}(?:[/?#\s]|\Z))[^\s\"'`<>@]{1,256}@)"
)
_PLAIN_USER = re.compile(r"(?!(?=.*\d).{16})[^:]*@\Z")
_STOP = r"[^|;&\n]"
_TOOLS = re.compile(
    r"(sshpass[ ]+-p[ \t]*"
    rf"|redis-cli\b{_STOP}{{0,200}}?[ ]-a[ \t]*"
    rf"|(?:mysql|mariadb)[a-z]{{0,8}}\b{_STOP}{{0,200}}?[ ]-p(?=\S)"
    rf"|\b(?:docker|podman|helm|nerdctl|buildah|skopeo|oc|az)\b{_STOP}{{0,60}}?\blogin\b{_STOP}{{0,200}}?[ ]-p[ \t]*"
    rf"|ssh-keygen\b{_STOP}{{0,200}}?[ ]-[NP][ \t]*"
    rf"|(?:curl|wget|https?)\b{_STOP}{{0,200}}?[ ](?:-u|-U|--user|--proxy-user)[ \t=]*(?=[\"']?[^\s:\"']{{0,128}}:)"
    rf"|\bsecrets?[ \t]+set\b{_STOP}{{0,200}}?[ ](?:--body|-b)[ \t=]+"
    r"|(?<![A-Za-z])pass:)"
    r"(\"[^\"]+\"?|'[^']+'?|[^\s\"';|&]+)"
)


def redact(text: str) -> str:
    """The text with `[redacted]` for every secret in it."""
    original, lower = text, _lower(text)
    stems = [stem for stem in named.STEMS if stem in lower] if named.may_assign(lower) else []
    if "PRIVATE KEY" in text:
        text = _PRIVATE_KEY.sub(PLACEHOLDER, text)
    if "://" in text and "@" in text:
        text = _ADDRESS.sub(_hide_user, text)
    if _has_prefix(text):
        text = _FORMS.sub(PLACEHOLDER, text)
    if "auth" in stems or "cookie" in stems or "bearer" in lower or "basic" in lower or "from-literal=" in lower:
        text = _SCHEME.sub(_keep_lead, text)
    if ("pass" in stems and "pass:" in lower) or (" -" in text and _has_any(lower, _PROGRAMS)):
        text = _TOOLS.sub(_keep_lead, text)
    if not stems:
        return text
    return named.redact(text, lower if text is original else _lower(text), stems)


def begins_in_run(text: str) -> bool:
    """Whether a secret may begin within a run of letters and digits: one whose form has no other character."""
    return "AKIA" in text or "ASIA" in text or "AIza" in text or "eyJ" in text


def _has_prefix(text: str) -> bool:
    """Whether the text has the beginning of any token of a known form."""
    for shared, prefixes in _PREFIXES:
        if shared in text and _has_any(text, prefixes):
            return True
    if "_" in text:
        for shared, prefixes in _UNDERSCORED:
            if shared in text and _has_any(text, prefixes):
                return True
    return False


def _has_any(text: str, words: tuple[str, ...]) -> bool:
    for word in words:  # noqa: SIM110 - a generator costs twice as much here
        if word in text:
            return True
    return False


def _lower(text: str) -> str:
    """The text in lower case and of the same length: this one letter alone becomes two."""
    return text.replace("\u0130", "i").lower()


def _hide_user(found: re.Match[str]) -> str:
    return found[0] if _PLAIN_USER.match(found[0]) else PLACEHOLDER + "@"


def _keep_lead(found: re.Match[str]) -> str:
    lead = next((group for group in found.groups()[:4] if group), "")
    return lead + PLACEHOLDER
