-- Derived tables: what the agents' own records say. They can be rebuilt from
-- those records as long as the records exist, so they are only ever added to.
-- Instants are milliseconds since 1970 UTC. NULL is unknown, never zero.

CREATE TABLE meta (
  name TEXT PRIMARY KEY,          -- 'ledger_id' (random 128 bits, hex)
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE source (
  id INTEGER PRIMARY KEY,
  harness TEXT NOT NULL,          -- claude, codex, …
  path TEXT NOT NULL,             -- real path of the file
  read_to INTEGER NOT NULL DEFAULT 0,   -- bytes that were imported
  tail_hash TEXT NOT NULL DEFAULT '',   -- SHA-256 of the up to 4096 bytes before read_to
  ordinal INTEGER NOT NULL DEFAULT 0,   -- non-blank lines before read_to
  context BLOB,                   -- the adapter's own state at read_to, JSON
  size INTEGER NOT NULL DEFAULT 0,      -- size when last read
  mtime_ns INTEGER NOT NULL DEFAULT 0,
  adapter_version INTEGER NOT NULL DEFAULT 0,   -- read under these versions;
  privacy_version INTEGER NOT NULL DEFAULT 0,   -- another one means: read again
  imported_ms INTEGER,
  gone_ms INTEGER,                -- when the file was first missed; its records stay
  UNIQUE (harness, path)
) STRICT;

CREATE TABLE session (
  id INTEGER PRIMARY KEY,
  key TEXT NOT NULL UNIQUE,       -- 'harness:native id'
  harness TEXT NOT NULL,
  native_id TEXT NOT NULL,
  parent TEXT,                    -- key of the session that started this one
  role TEXT,                      -- main, subagent, NULL: not proven
  project TEXT,                   -- working directory
  branch TEXT,
  client_version TEXT,
  entry_point TEXT,
  forked_from TEXT,               -- key of the session whose history it continues
  started_ms INTEGER,             -- earliest and latest record time
  ended_ms INTEGER,
  marked_copied_until_ms INTEGER, -- copies up to here, as the records mark them
  copied_until_ms INTEGER,        -- the same after comparing with other sessions
  agentsmd_version TEXT,          -- release of the agent instructions in force
  unsettled INTEGER NOT NULL DEFAULT 1  -- written to since the last settling
) STRICT;
CREATE INDEX session_unsettled ON session (id) WHERE unsettled = 1;
CREATE INDEX session_parent ON session (parent) WHERE parent IS NOT NULL;
CREATE INDEX session_fork ON session (forked_from) WHERE forked_from IS NOT NULL;

CREATE TABLE turn (
  session_id INTEGER NOT NULL REFERENCES session (id),
  id TEXT NOT NULL,               -- native turn id
  started_ms INTEGER,
  ended_ms INTEGER,
  duration_ms INTEGER,
  state TEXT,                     -- active, complete, cancelled, failed
  model TEXT,
  effort TEXT,
  PRIMARY KEY (session_id, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE response (
  id TEXT NOT NULL,               -- native response id with its harness prefix
  source_id INTEGER NOT NULL REFERENCES source (id),
  session_id INTEGER NOT NULL REFERENCES session (id),
  ordinal INTEGER NOT NULL,
  at_ms INTEGER,
  turn TEXT,                      -- native turn id
  model TEXT,
  provider TEXT,
  effort TEXT,
  semantics TEXT NOT NULL,        -- what lies inside what: records.semantics
  input INTEGER,
  cached_input INTEGER,
  cache_write_input INTEGER,
  cache_write_5m INTEGER,
  cache_write_1h INTEGER,
  output INTEGER,
  reasoning_output INTEGER,
  total INTEGER,
  final INTEGER NOT NULL,         -- 0: output is a lower bound
  origin INTEGER NOT NULL,        -- how surely it was made in this session
  cumulative INTEGER,             -- running total of the session; proof, never summed
  native_cost_usd TEXT,           -- decimal text as recorded
  service_tier TEXT,
  speed TEXT,
  web_search_requests INTEGER,
  shape INTEGER NOT NULL,         -- what is known of the counters: records.usage
  context_tokens INTEGER,         -- all input of the request, cache included
  overlap INTEGER NOT NULL DEFAULT 0,   -- 1: another record covers it; never summed
  model_inherited INTEGER NOT NULL DEFAULT 0,   -- 1: model and effort are those of the fork's parent
  PRIMARY KEY (id)
) STRICT;
CREATE INDEX response_session ON response (session_id, turn);

-- Responses that several sources record: every source's own version of it.
-- The row in `response` is what settling made of them.
CREATE TABLE response_copy (
  id TEXT NOT NULL,
  source_id INTEGER NOT NULL REFERENCES source (id),
  session_id INTEGER NOT NULL REFERENCES session (id),
  ordinal INTEGER NOT NULL,
  at_ms INTEGER,
  turn TEXT,
  model TEXT,
  provider TEXT,
  effort TEXT,
  semantics TEXT NOT NULL,
  input INTEGER,
  cached_input INTEGER,
  cache_write_input INTEGER,
  cache_write_5m INTEGER,
  cache_write_1h INTEGER,
  output INTEGER,
  reasoning_output INTEGER,
  total INTEGER,
  final INTEGER NOT NULL,
  origin INTEGER NOT NULL,
  cumulative INTEGER,
  native_cost_usd TEXT,
  service_tier TEXT,
  speed TEXT,
  web_search_requests INTEGER,
  shape INTEGER NOT NULL,
  context_tokens INTEGER,
  PRIMARY KEY (id, source_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX response_copy_session ON response_copy (session_id);

CREATE TABLE submission (
  session_id INTEGER NOT NULL REFERENCES session (id),
  id TEXT NOT NULL,               -- native prompt id with its harness prefix
  kind TEXT NOT NULL,             -- genuine, synthetic, scaffolding, interrupt, command, unknown
  ordinal INTEGER NOT NULL,
  at_ms INTEGER,
  turn TEXT,
  alias TEXT,                     -- a second native id of the same prompt
  text_hash TEXT NOT NULL,        -- 16 hex digits of SHA-256
  excerpt TEXT NOT NULL,          -- genuine prompts of main sessions only
  copied INTEGER NOT NULL DEFAULT 0,    -- 1: a copy of another session's prompt
  PRIMARY KEY (session_id, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX submission_id ON submission (id);

CREATE TABLE event (
  session_id INTEGER NOT NULL REFERENCES session (id),
  family TEXT NOT NULL,           -- tool_call, tool_result, read, …
  native_id TEXT NOT NULL,
  ordinal INTEGER NOT NULL,
  at_ms INTEGER,
  turn TEXT,
  name TEXT,
  target TEXT,                    -- path or command, secrets replaced
  status TEXT,
  duration_ms INTEGER,
  size_bytes INTEGER,
  truncated INTEGER NOT NULL,
  detail TEXT,                    -- allow-listed JSON
  copied INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (session_id, family, native_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE fault (
  source_id INTEGER NOT NULL REFERENCES source (id),
  ordinal INTEGER NOT NULL,       -- line, -1: the source as a whole
  category TEXT NOT NULL,
  keys TEXT NOT NULL,             -- top-level key names, never a value
  derived INTEGER NOT NULL DEFAULT 0,   -- 1: found while settling copies
  PRIMARY KEY (source_id, ordinal, category)
) STRICT, WITHOUT ROWID;
