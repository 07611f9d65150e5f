-- Assertions about work, append-only like those of 0002: to whom a prompt handed
-- work, and which turns were runs of a task.

CREATE TABLE dispatch_assertion (
  seq INTEGER PRIMARY KEY,
  submission TEXT NOT NULL,       -- key of the prompt that handed work on
  worker TEXT NOT NULL,           -- key or native id of the session that took it, perhaps in no ledger yet
  recorded_ms INTEGER NOT NULL,
  parent_turn TEXT,
  worker_turn TEXT,
  requested_model TEXT,
  requested_effort TEXT,
  policy_version TEXT,
  purpose TEXT,                   -- why it was handed on; `reason` says why a row was amended
  task_name TEXT,                 -- what the worker calls the work
  withdrawn INTEGER NOT NULL DEFAULT 0,
  reason TEXT
) STRICT;
CREATE INDEX dispatch_assertion_key ON dispatch_assertion (submission, worker, seq);

CREATE TABLE attempt_assertion (
  seq INTEGER PRIMARY KEY,
  task TEXT NOT NULL,
  turn TEXT NOT NULL,             -- native turn id, or 'router:<invocation id>'
  session TEXT NOT NULL,          -- key of the session the turn is in; '': a router's run, whose session it tells
  recorded_ms INTEGER NOT NULL,
  role TEXT NOT NULL,             -- parent, worker
  stage TEXT,                     -- a phase of the closed list
  requested_model TEXT,
  requested_effort TEXT,
  state TEXT,                     -- NULL: as the router tells it
  usable INTEGER,                 -- whether the output could be used
  withdrawn INTEGER NOT NULL DEFAULT 0,
  reason TEXT
) STRICT;
CREATE INDEX attempt_assertion_key ON attempt_assertion (task, turn, session, seq);
CREATE INDEX attempt_assertion_turn ON attempt_assertion (turn);

CREATE VIEW dispatch AS
  SELECT submission, worker, parent_turn, worker_turn, requested_model, requested_effort, policy_version, purpose,
    task_name, recorded_ms
  FROM dispatch_assertion AS a
  WHERE withdrawn = 0 AND seq = (
    SELECT MAX(seq) FROM dispatch_assertion AS b WHERE b.submission = a.submission AND b.worker = a.worker);

CREATE VIEW asserted_attempt AS
  SELECT task, turn, session, role, stage, requested_model, requested_effort, state, usable
  FROM attempt_assertion AS a
  WHERE withdrawn = 0 AND seq = (
    SELECT MAX(seq) FROM attempt_assertion AS b
    WHERE b.task = a.task AND b.turn = a.turn AND b.session = a.session);

CREATE VIEW router_attempt AS
  SELECT job.task, 'router:' || run.id AS turn, run.request_id, run.kind, run.session, run.stage,
    run.requested_route, run.policy_version, run.reason, run.model, run.effort, run.started_ms, run.ended_ms,
    run.elapsed_ms, run.state, run.terminal_class, run.return_code, run.proof_class, run.seq, run.input,
    run.cached_input, run.cache_write_input, run.output, run.reasoning_output, run.total
  FROM router_job AS job JOIN router_invocation AS run ON run.request_id = job.request_id AND run.current = 1
  WHERE job.current = 1;

-- Work on a task: what a coordinator says of a run stands over what a router
-- says of it, field by field; what neither says is taken from the turn's records.
DROP VIEW attempt;
CREATE VIEW attempt AS
  SELECT said.task, said.turn, 'capture' AS origin, run.request_id, said.role, run.kind,
    COALESCE(NULLIF(said.session, ''), run.session) AS session, COALESCE(said.stage, run.stage) AS stage,
    run.requested_route, said.requested_model, said.requested_effort, run.policy_version, run.reason,
    COALESCE(run.model, turn.model, (
      SELECT CASE WHEN MIN(model) = MAX(model) THEN MIN(model) END FROM response
      WHERE session_id = session.id AND turn = said.turn AND overlap = 0)) AS model,
    COALESCE(run.effort, turn.effort) AS effort, COALESCE(run.started_ms, turn.started_ms) AS started_ms,
    COALESCE(run.ended_ms, turn.ended_ms) AS ended_ms, COALESCE(run.elapsed_ms, turn.duration_ms) AS elapsed_ms,
    COALESCE(said.state, run.state, 'active') AS state, said.usable, run.terminal_class, run.return_code,
    run.proof_class, run.seq, run.input, run.cached_input, run.cache_write_input, run.output, run.reasoning_output,
    run.total
  FROM asserted_attempt AS said
  LEFT JOIN router_attempt AS run ON run.turn = said.turn AND said.session = ''
  LEFT JOIN session ON session.key = said.session
  LEFT JOIN turn ON turn.session_id = session.id AND turn.id = said.turn
  UNION ALL
  SELECT task, turn, 'router', request_id, kind, kind, session, stage, requested_route, NULL, NULL, policy_version,
    reason, model, effort, started_ms, ended_ms, elapsed_ms, state, NULL, terminal_class, return_code, proof_class,
    seq, input, cached_input, cache_write_input, output, reasoning_output, total
  FROM router_attempt
  WHERE NOT EXISTS (
    SELECT 1 FROM asserted_attempt WHERE asserted_attempt.turn = router_attempt.turn AND asserted_attempt.session = '');
