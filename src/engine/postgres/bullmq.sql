-- What we change in BullMQ's own schema. Its version is exact, so what it ships is known.

-- Jobs need not outlive a crash of the server, because the reconciler adds them again from the ledger. Leaving them out
-- makes Postgres's log half as long. Ours have no logs and no children, which each end of a job looked for and removed:
-- this took half of its time. Claims lock the tables in this order.
DO $$
BEGIN
  IF EXISTS (SELECT FROM pg_class WHERE oid = 'carillon_queue.job'::regclass AND relpersistence = 'p') THEN
    LOCK TABLE carillon_queue.job, carillon_queue.job_dependency, carillon_queue.job_log;
    ALTER TABLE carillon_queue.job_log DROP CONSTRAINT job_log_queue_job_id_fkey, SET UNLOGGED;
    ALTER TABLE carillon_queue.job_dependency DROP CONSTRAINT job_dependency_parent_queue_parent_id_fkey, SET UNLOGGED;
    ALTER TABLE carillon_queue.job SET UNLOGGED;
  END IF;
END $$;

-- BullMQ writes and notifies of an event for each step of a job. Nobody reads them here, and Postgres lets notifying
-- commits through one at a time.
CREATE OR REPLACE FUNCTION carillon_queue.publish_event(p_queue text, p_event text, p_data jsonb) RETURNS bigint
LANGUAGE sql
RETURN NULL::bigint;

-- BullMQ adds several jobs through two temporary tables, which it makes and drops each time. This took a third of all
-- that Postgres did for a campaign at 20 requests a second. Here one statement does the same. It also notifies of a
-- delayed job only if that job is the first.
CREATE OR REPLACE FUNCTION carillon_queue.add_jobs_bulk_unlocked(p_queue text, p_entries jsonb) RETURNS SETOF text
LANGUAGE plpgsql
SET search_path = carillon_queue AS $$
DECLARE
  ids text[];
  waits boolean;
  first_at bigint;
BEGIN
  WITH wanted AS MATERIALIZED (
    -- Numbered after the sort, so that the numbers rise in the order of the entries.
    SELECT x.nth, x.job, nextval('job_seq') AS seq,
      coalesce(nullif(x.job->>'id', ''), gen_random_uuid()::text) AS id,
      coalesce((x.job->>'delay')::bigint, 0) AS delay, coalesce((x.job->>'timestamp')::bigint, 0) AS made
    FROM (SELECT e.nth, e.job FROM jsonb_array_elements(p_entries) WITH ORDINALITY AS e(job, nth) ORDER BY e.nth) x
  ),
  -- An id that is there already, or twice in the entries, adds nothing.
  fresh AS (
    INSERT INTO job (queue, id, seq, name, state, data, opts, priority, delay_ms, max_attempts, added_at_ms,
      process_at_ms, pending_deps)
    SELECT p_queue, w.id, w.seq, w.job->>'name',
      CASE WHEN w.delay > 0 THEN 'delayed'::job_state ELSE 'waiting'::job_state END,
      coalesce((w.job->>'data')::jsonb, '{}'), coalesce(w.job->'opts', '{}'), coalesce((w.job->>'priority')::integer, 0),
      w.delay, coalesce((w.job->>'attempts')::integer, 1), w.made, CASE WHEN w.delay > 0 THEN w.made + w.delay END, 0
    FROM wanted w
    ON CONFLICT (queue, id) DO NOTHING
    RETURNING job.state, job.process_at_ms
  )
  SELECT array_agg(w.id ORDER BY w.nth), (SELECT bool_or(f.state = 'waiting') FROM fresh f),
    (SELECT min(f.process_at_ms) FROM fresh f WHERE f.state = 'delayed')
  INTO ids, waits, first_at FROM wanted w;

  IF waits OR carillon_engine.is_first(p_queue, first_at) THEN
    PERFORM pg_notify('bullmq_jobs', p_queue);
  END IF;
  RETURN QUERY SELECT unnest(ids);
END $$;

