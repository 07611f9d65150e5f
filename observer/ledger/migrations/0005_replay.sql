-- Replays: what was told again since the versions changed that an agent's records
-- are read under. The first source that tells a row again replaces it; later ones
-- add to it as they always do. Both tables are empty but while a replay goes on.

CREATE TABLE replay (
  harness TEXT PRIMARY KEY,
  adapter_version INTEGER NOT NULL,   -- what its sources are being read again under
  privacy_version INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE retold (
  session_id INTEGER NOT NULL REFERENCES session (id),
  kind TEXT NOT NULL,             -- session, turn, submission, or the family of an event
  id TEXT NOT NULL,
  PRIMARY KEY (session_id, kind, id)
) STRICT, WITHOUT ROWID;
