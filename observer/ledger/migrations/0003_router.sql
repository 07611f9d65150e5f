-- What a model router's own ledger says of jobs and of the processes it started
-- for them. Derived, like 0001. The same job may lie in several ledgers (a moved
-- one): each tells its rows, and settling marks those that hold (`current`).
-- Usage here is a copy, kept as evidence; no response is ever made of it.

CREATE TABLE router_job (
  source_id INTEGER NOT NULL REFERENCES source (id),
  request_id TEXT NOT NULL,
  task TEXT NOT NULL,             -- the task it names, else 'router:<request id>'
  status TEXT,                    -- pending … succeeded, failed, cancelled; never an acceptance
  lane TEXT,
  kind TEXT,                      -- ordinary, experiment, replay
  replay_of TEXT,
  route TEXT,
  model TEXT,
  effort TEXT,
  planner_session TEXT,           -- native id; a person's session, never bound
  planner_harness TEXT,
  planner_model TEXT,
  planner_effort TEXT,
  issue TEXT,                     -- a reference
  project TEXT,                   -- name of the directory it works in
  base_commit TEXT,
  head_commit TEXT,
  block_reason TEXT,              -- the class word only
  error_class TEXT,
  cancel_requested INTEGER,       -- 0 no, 1 on purpose, 2 drained after a timeout
  created_ms INTEGER,
  updated_ms INTEGER,
  current INTEGER NOT NULL DEFAULT 0,   -- 1: the latest state of this request
  PRIMARY KEY (source_id, request_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX router_job_request ON router_job (request_id, current);
CREATE INDEX router_job_task ON router_job (task, current);

CREATE TABLE router_invocation (
  source_id INTEGER NOT NULL REFERENCES source (id),
  id TEXT NOT NULL,               -- one child process: a model turn or a proof
  request_id TEXT NOT NULL,
  ordinal INTEGER NOT NULL,
  state TEXT NOT NULL,            -- of the attempt: complete, active, cancelled, failed, …
  kind TEXT,                      -- codex_dispatch, opencode_control, proof, …
  session TEXT,                   -- key of the session that was made for the job
  stage TEXT,
  requested_route TEXT,
  policy_version TEXT,
  harness_version TEXT,
  model TEXT,
  effort TEXT,
  reason TEXT,
  proof_class TEXT,
  terminal_class TEXT,
  return_code INTEGER,
  seq INTEGER,                    -- joins a worker, its proof and recovery events
  started_ms INTEGER,
  ended_ms INTEGER,
  elapsed_ms INTEGER,
  kit_hash TEXT,
  direction_supply TEXT,
  direction_hash TEXT,
  input INTEGER,                  -- the router's copy of the counters; of a Codex thread
  cached_input INTEGER,           -- its running total, never to be added up
  cache_write_input INTEGER,
  output INTEGER,
  reasoning_output INTEGER,
  total INTEGER,
  current INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (source_id, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX router_invocation_request ON router_invocation (request_id, current);
CREATE INDEX router_invocation_session ON router_invocation (session) WHERE session IS NOT NULL;

CREATE TABLE router_event (
  source_id INTEGER NOT NULL REFERENCES source (id),
  id INTEGER NOT NULL,
  request_id TEXT NOT NULL,
  kind TEXT NOT NULL,             -- recovery_decision, route_switched, …
  at_ms INTEGER,
  fields TEXT NOT NULL,           -- allow-listed JSON
  PRIMARY KEY (source_id, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX router_event_request ON router_event (request_id);

CREATE TABLE router_reading (
  source_id INTEGER NOT NULL REFERENCES source (id),
  pool TEXT NOT NULL,
  model TEXT NOT NULL,            -- '': the whole pool
  window TEXT NOT NULL,
  observed_ms INTEGER NOT NULL,
  used REAL NOT NULL,             -- a level, not an amount spent
  limit_value REAL,
  reset_ms INTEGER,
  origin TEXT,
  current INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (source_id, pool, model, window, observed_ms)
) STRICT, WITHOUT ROWID;

-- Sessions that were made for a task's jobs, as settling finds them.
CREATE TABLE router_binding (
  session TEXT NOT NULL,
  task TEXT NOT NULL,
  evidence TEXT NOT NULL,         -- 'router:<request id>:<invocation id>', the first of them
  PRIMARY KEY (session, task)
) STRICT, WITHOUT ROWID;
CREATE INDEX router_binding_task ON router_binding (task);

-- Tasks as jobs name them: the first job with an issue reference gives the title.
CREATE VIEW router_task AS
  SELECT task, project, COALESCE(issue, request_id) AS title,
    CASE WHEN issue LIKE 'https://%' THEN issue END AS issue_url,
    (SELECT MIN(created_ms) FROM router_job AS b WHERE b.task = a.task AND b.current = 1) AS created_ms
  FROM router_job AS a
  WHERE current = 1 AND request_id = (
    SELECT request_id FROM router_job AS b WHERE b.task = a.task AND b.current = 1
    ORDER BY issue IS NULL, created_ms IS NULL, created_ms, request_id LIMIT 1);

-- What is in force: assertions of a coordinator, and what a router's ledger
-- says where no coordinator has said anything. A coordinator always wins.
DROP VIEW task;
CREATE VIEW task AS
  SELECT task, project, family, title, issue_url, origin,
    (SELECT MIN(recorded_ms) FROM task_assertion AS b WHERE b.task = a.task) AS created_ms
  FROM task_assertion AS a
  WHERE withdrawn = 0 AND seq = (SELECT MAX(seq) FROM task_assertion AS b WHERE b.task = a.task)
  UNION ALL
  SELECT task, project, NULL, title, issue_url, 'router', created_ms FROM router_task
  WHERE NOT EXISTS (SELECT 1 FROM task_assertion WHERE task_assertion.task = router_task.task);

DROP VIEW session_assignment;
CREATE VIEW asserted_session AS
  SELECT session, task, evidence FROM session_assertion AS a
  WHERE withdrawn = 0 AND seq = (
    SELECT MAX(seq) FROM session_assertion AS b WHERE b.session = a.session AND b.task = a.task);
-- A router's binding gives way to one that was taken back, to another owner of
-- the session, and to another owner of a prompt in it.
CREATE VIEW session_assignment AS
  SELECT session, task, evidence FROM asserted_session
  UNION ALL
  SELECT session, task, evidence FROM router_binding AS made
  WHERE NOT EXISTS (SELECT 1 FROM session_assertion AS a WHERE a.session = made.session AND a.task = made.task)
    AND NOT EXISTS (SELECT 1 FROM asserted_session AS a WHERE a.session = made.session)
    AND NOT EXISTS (
      SELECT 1 FROM session JOIN submission ON submission.session_id = session.id AND submission.copied = 0
      JOIN assignment ON assignment.submission = submission.id
      WHERE session.key = made.session AND assignment.task <> made.task);

DROP VIEW outcome;
CREATE VIEW outcome AS
  SELECT task, state, candidate, proof, repairs, corrections, NULL AS router_status, recorded_ms
  FROM outcome_assertion AS a
  WHERE withdrawn = 0 AND seq = (SELECT MAX(seq) FROM outcome_assertion AS b WHERE b.task = a.task)
  UNION ALL
  SELECT task, 'unknown', NULL, NULL, NULL, NULL,
    (SELECT GROUP_CONCAT(status, ', ') FROM (
      SELECT DISTINCT COALESCE(status, 'unknown') AS status FROM router_job AS b
      WHERE b.task = a.task AND b.current = 1 ORDER BY 1)),
    MAX(updated_ms)
  FROM router_job AS a
  WHERE current = 1 AND NOT EXISTS (
    SELECT 1 FROM outcome_assertion AS b WHERE b.task = a.task AND withdrawn = 0
      AND seq = (SELECT MAX(seq) FROM outcome_assertion AS c WHERE c.task = b.task))
  GROUP BY task;

-- Work on a task: every run of its jobs.
CREATE VIEW attempt AS
  SELECT job.task, 'router:' || run.id AS turn, run.request_id, run.kind AS role, run.session, run.stage,
    run.requested_route, run.policy_version, run.reason, run.model, run.effort, run.started_ms, run.ended_ms,
    run.elapsed_ms, run.state, run.terminal_class, run.return_code, run.proof_class, run.seq, run.input,
    run.cached_input, run.cache_write_input, run.output, run.reasoning_output, run.total
  FROM router_job AS job JOIN router_invocation AS run ON run.request_id = job.request_id AND run.current = 1
  WHERE job.current = 1;
