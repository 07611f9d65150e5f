-- Derived: which agent instructions a session ran with, as the records prove it.

CREATE TABLE instruction (
  session_id INTEGER NOT NULL REFERENCES session (id),
  source_id INTEGER NOT NULL REFERENCES source (id),
  ordinal INTEGER NOT NULL,
  direction_status TEXT,          -- what the Project Direction block says of itself; unparsed
  instructions_sha256 TEXT,       -- of the instruction file, as the block states it
  instructions_path TEXT,
  preferences_sha256 TEXT,
  preferences_status TEXT,
  direction_sha256 TEXT,          -- over the hashes of the direction files
  repository_root TEXT,
  git_head TEXT,
  matched_sha256 TEXT,            -- of a known release found in an embedded or loaded text
  PRIMARY KEY (session_id, source_id, ordinal)
) STRICT, WITHOUT ROWID;

CREATE INDEX instruction_by_source ON instruction (source_id);

-- The release map, as the last sync found it; never emptied for want of a repository.
CREATE TABLE release (
  sha256 TEXT PRIMARY KEY,        -- of the release's instruction file
  version TEXT NOT NULL,
  size_bytes INTEGER NOT NULL,
  released_ms INTEGER
) STRICT, WITHOUT ROWID;
