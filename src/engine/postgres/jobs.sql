-- The steps of jobs, of many workers in one statement. BullMQ's own functions take one job each, and begin every search
-- at the jobs that are over. Postgres cannot remove these while anybody's transaction keeps an old snapshot. So a search
-- here begins behind what its process knows to be over: p_after is a place in the queue, p_since a time.

-- Ends a job for each member that names one, then claims one for each member, in the order of members. Members of a
-- queue stand together. The last row of each queue has no job, and tells how long the queue rests, and when a worker may
-- next find a job: 0 if one waits, null if there is none. Jobs that are first in, last out do not exist here.
CREATE OR REPLACE FUNCTION carillon_engine.next_jobs(
  p_queues text[], p_ended text[], p_tokens text[], p_lock_ms bigint[], p_nows bigint[], p_names text[],
  p_after bigint[], p_since bigint[]
) RETURNS TABLE (nth integer, opens_at bigint, rests_ms bigint, job carillon_queue.job)
LANGUAGE plpgsql AS $$
DECLARE
  v_queue text;
  v_first integer := 1;
  v_last  integer;
  v_most  integer;
  v_now   bigint;
  v_rests bigint;
  v_id    text;
  v_ids   text[];
BEGIN
  PERFORM carillon_engine.end_jobs(p_queues, p_ended, p_tokens);
  WHILE v_first <= cardinality(p_queues) LOOP
    v_queue := p_queues[v_first];
    v_last := v_first;
    WHILE p_queues[v_last + 1] = v_queue LOOP
      v_last := v_last + 1;
    END LOOP;
    v_most := v_last - v_first + 1;
    v_now := p_nows[v_last];
    v_ids := '{}';
    -- Fewer points than these are of a claim that BullMQ's own function made.
    v_rests := (SELECT r.expire_at_ms - v_now FROM carillon_queue.rate_limit r
                 WHERE r.queue = v_queue AND r.points >= 9007199254740991);
    IF coalesce(v_rests, 0) <= 0 AND NOT EXISTS (
      SELECT FROM carillon_queue.meta m WHERE m.queue = v_queue AND m.field = 'paused' AND m.value = '1') THEN
      v_ids := ARRAY(
        SELECT j.id FROM carillon_queue.job j
         WHERE j.queue = v_queue AND j.state = 'waiting' AND (j.priority, j.seq) > (0, p_after[v_first])
         ORDER BY j.priority, j.seq LIMIT v_most FOR UPDATE SKIP LOCKED);
      IF cardinality(v_ids) < v_most THEN
        v_ids := v_ids || ARRAY(
          SELECT j.id FROM carillon_queue.job j
           WHERE j.queue = v_queue AND j.state = 'delayed' AND j.process_at_ms > p_since[v_first] AND j.process_at_ms <= v_now
           ORDER BY j.process_at_ms LIMIT v_most - cardinality(v_ids) FOR UPDATE SKIP LOCKED);
      END IF;
    END IF;
    -- By id, because Postgres planned a join as a scan of the whole table until the table was analysed.
    nth := v_first;
    opens_at := NULL;
    FOREACH v_id IN ARRAY v_ids LOOP
      UPDATE carillon_queue.job j
         SET state = 'active', delay_ms = 0, lock_token = p_tokens[nth], locked_until_ms = p_nows[nth] + p_lock_ms[nth],
             processed_at_ms = p_nows[nth], processed_by = p_names[nth], attempts_started = j.attempts_started + 1
       WHERE j.queue = v_queue AND j.id = v_id
      RETURNING j.* INTO job;
      RETURN NEXT;
      nth := nth + 1;
    END LOOP;
    -- Others that are due come after those that wait, also after those that are put back.
    FOR v_id IN
      SELECT j.id FROM carillon_queue.job j
       WHERE j.queue = v_queue AND j.state = 'delayed' AND j.process_at_ms > p_since[v_first] AND j.process_at_ms <= v_now
       ORDER BY j.process_at_ms FOR UPDATE SKIP LOCKED
    LOOP
      UPDATE carillon_queue.job j SET state = 'waiting', delay_ms = 0, seq = nextval('carillon_queue.job_seq')
       WHERE j.queue = v_queue AND j.id = v_id;
    END LOOP;
    nth := v_last;
    job := NULL;
    rests_ms := greatest(v_rests, 0);
    IF EXISTS (SELECT FROM carillon_queue.job j
                WHERE j.queue = v_queue AND j.state = 'waiting' AND (j.priority, j.seq) > (0, p_after[v_first])) THEN
      opens_at := 0;
    ELSE
      SELECT min(j.process_at_ms) INTO opens_at FROM carillon_queue.job j
       WHERE j.queue = v_queue AND j.state = 'delayed' AND j.process_at_ms > p_since[v_first];
    END IF;
    RETURN NEXT;
    v_first := v_last + 1;
  END LOOP;
END $$;

-- BullMQ ends a job in eleven statements: locks, parents, children, twins, events, and what is kept of jobs that are
-- over. Ours have none of these. Only an active job has a token; a condition on its state would be looked up by the index
-- of all active jobs. A job that cannot be just removed undoes the statement, and BullMQ ends it.
CREATE OR REPLACE FUNCTION carillon_engine.end_jobs(p_queues text[], p_ended text[], p_tokens text[]) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  FOR i IN 1 .. cardinality(p_ended) LOOP
    CONTINUE WHEN p_ended[i] IS NULL;
    DELETE FROM carillon_queue.job j
     WHERE j.queue = p_queues[i] AND j.id = p_ended[i] AND j.lock_token = p_tokens[i]
       AND j.parent_id IS NULL AND j.dedup_id IS NULL
       AND NOT EXISTS (SELECT FROM carillon_queue.job_dependency d WHERE d.parent_queue = j.queue AND d.parent_id = j.id);
    IF NOT FOUND THEN
      RAISE EXCEPTION 'the job % cannot be just removed', p_ended[i] USING ERRCODE = 'BM001';
    END IF;
  END LOOP;
END $$;

-- Whether no delayed job of the queue is due before this time. A worker that waits knows when the first one is due, and
-- then looks for the next: it need not hear of later ones. Jobs due before now are over, or were not taken, and their
-- places must not be walked over each time.
CREATE OR REPLACE FUNCTION carillon_engine.is_first(p_queue text, p_at bigint) RETURNS boolean
LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN p_at <= (SELECT coalesce(min(j.process_at_ms), p_at) FROM carillon_queue.job j WHERE j.queue = p_queue AND j.state = 'delayed'
    AND j.process_at_ms > (extract(epoch FROM clock_timestamp()) * 1000)::bigint - 1000);
END $$;

-- Puts jobs off until their times.
CREATE OR REPLACE FUNCTION carillon_engine.delay_jobs(
  p_queues text[], p_ids text[], p_tokens text[], p_times bigint[], p_delays bigint[]
) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  FOR i IN 1 .. cardinality(p_ids) LOOP
    UPDATE carillon_queue.job j
       SET state = 'delayed', process_at_ms = p_times[i], delay_ms = p_delays[i], lock_token = NULL, locked_until_ms = NULL
     WHERE j.queue = p_queues[i] AND j.id = p_ids[i] AND j.lock_token = p_tokens[i];
    IF NOT FOUND THEN
      RAISE EXCEPTION 'the job % is not held', p_ids[i] USING ERRCODE = 'BM001';
    END IF;
    IF carillon_engine.is_first(p_queues[i], p_times[i]) THEN
      PERFORM pg_notify('bullmq_jobs', p_queues[i]);
    END IF;
  END LOOP;
END $$;
