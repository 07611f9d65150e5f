-- Assertions: what a coordinator says about work. They cannot be rebuilt, so
-- rows are only ever added; a newer row of the same key replaces an older one,
-- and the history stays. They name sessions and prompts by their keys, never
-- by a row number of a derived table.

CREATE TABLE task_assertion (
  seq INTEGER PRIMARY KEY,
  task TEXT NOT NULL,
  recorded_ms INTEGER NOT NULL,
  project TEXT,
  family TEXT,
  title TEXT,
  issue_url TEXT,
  origin TEXT NOT NULL,           -- capture, router
  withdrawn INTEGER NOT NULL DEFAULT 0,
  reason TEXT                     -- why it was amended or withdrawn
) STRICT;
CREATE INDEX task_assertion_key ON task_assertion (task, seq);

CREATE TABLE assignment_assertion (
  seq INTEGER PRIMARY KEY,
  submission TEXT NOT NULL,
  task TEXT NOT NULL,
  recorded_ms INTEGER NOT NULL,
  attempt TEXT,
  phase TEXT,
  evidence TEXT,
  shared INTEGER NOT NULL DEFAULT 0,
  withdrawn INTEGER NOT NULL DEFAULT 0,
  reason TEXT
) STRICT;
CREATE INDEX assignment_assertion_key ON assignment_assertion (submission, task, seq);

CREATE TABLE session_assertion (
  seq INTEGER PRIMARY KEY,
  session TEXT NOT NULL,
  task TEXT NOT NULL,
  recorded_ms INTEGER NOT NULL,
  evidence TEXT NOT NULL,
  withdrawn INTEGER NOT NULL DEFAULT 0,
  reason TEXT
) STRICT;
CREATE INDEX session_assertion_key ON session_assertion (session, task, seq);

CREATE TABLE outcome_assertion (
  seq INTEGER PRIMARY KEY,
  task TEXT NOT NULL,
  recorded_ms INTEGER NOT NULL,
  state TEXT NOT NULL,
  candidate TEXT,
  proof TEXT,
  repairs INTEGER,
  corrections INTEGER,
  withdrawn INTEGER NOT NULL DEFAULT 0,
  reason TEXT
) STRICT;
CREATE INDEX outcome_assertion_key ON outcome_assertion (task, seq);

-- The assertions in force: the newest row of each key, unless withdrawn.
CREATE VIEW task AS
  SELECT * FROM task_assertion AS a
  WHERE withdrawn = 0 AND seq = (SELECT MAX(seq) FROM task_assertion AS b WHERE b.task = a.task);
CREATE VIEW assignment AS
  SELECT * FROM assignment_assertion AS a
  WHERE withdrawn = 0 AND seq = (
    SELECT MAX(seq) FROM assignment_assertion AS b WHERE b.submission = a.submission AND b.task = a.task);
CREATE VIEW session_assignment AS
  SELECT * FROM session_assertion AS a
  WHERE withdrawn = 0 AND seq = (
    SELECT MAX(seq) FROM session_assertion AS b WHERE b.session = a.session AND b.task = a.task);
CREATE VIEW outcome AS
  SELECT * FROM outcome_assertion AS a
  WHERE withdrawn = 0 AND seq = (SELECT MAX(seq) FROM outcome_assertion AS b WHERE b.task = a.task);
