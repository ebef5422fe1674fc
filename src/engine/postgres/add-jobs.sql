
DECLARE
  ids text[];
  waits boolean;
  first_at bigint;
BEGIN
  -- Only a job without an id needs the queue's own numbers; ours all have one.
  IF jsonb_path_exists(p_entries, '$[*] ? (!exists(@.id) || @.id == "" || @.id == null)')
    AND to_regclass(job_id_seq_name(p_queue)) IS NULL THEN
    PERFORM pg_advisory_xact_lock(hashtext('bullmq:jidseq:' || p_queue));
    EXECUTE format('CREATE SEQUENCE IF NOT EXISTS %I', job_id_seq_name(p_queue));
  END IF;

  WITH wanted AS MATERIALIZED (
    -- Numbered after the sort, so that the numbers rise in the order of the entries.
    SELECT x.nth, x.job, nextval('job_seq') AS seq,
      coalesce(nullif(x.job->>'id', ''), nextval(to_regclass(job_id_seq_name(p_queue)))::text) AS id,
      coalesce((x.job->>'delay')::bigint, 0) AS delay, coalesce((x.job->>'timestamp')::bigint, 0) AS made
    FROM (SELECT e.nth, e.job FROM jsonb_array_elements(p_entries) WITH ORDINALITY AS e(job, nth) ORDER BY e.nth) x
  ),
  -- An id that is there already, or twice in the entries, adds nothing.
  fresh AS (
    INSERT INTO job (queue, id, seq, name, state, data, opts, priority, delay_ms, max_attempts, added_at_ms,
      process_at_ms, scheduler_id, pending_deps)
    SELECT p_queue, w.id, CASE WHEN coalesce((w.job->>'lifo')::boolean, false) THEN -w.seq ELSE w.seq END, w.job->>'name',
      CASE WHEN w.delay > 0 THEN 'delayed'::job_state ELSE 'waiting'::job_state END,
      coalesce((w.job->>'data')::jsonb, '{}'), coalesce(w.job->'opts', '{}'), coalesce((w.job->>'priority')::integer, 0),
      w.delay, coalesce((w.job->>'attempts')::integer, 1), w.made, CASE WHEN w.delay > 0 THEN w.made + w.delay END,
      w.job->>'schedulerId', 0
    FROM wanted w
    ON CONFLICT (queue, id) DO NOTHING
    RETURNING job.id, job.name, job.state, job.process_at_ms
  ),
  placed AS (
    SELECT f.id, f.name, f.state, f.process_at_ms, (SELECT min(w.nth) FROM wanted w WHERE w.id = f.id) AS nth FROM fresh f
  ),
  told AS (
    INSERT INTO event (queue, event, data, created_at_ms)
    SELECT p_queue, e.event, e.data, (extract(epoch FROM clock_timestamp()) * 1000)::bigint
    FROM placed p CROSS JOIN LATERAL (VALUES
      (1, 'added', jsonb_build_object('jobId', p.id, 'name', p.name)),
      (2, p.state::text, CASE WHEN p.state = 'waiting' THEN jsonb_build_object('jobId', p.id)
        ELSE jsonb_build_object('jobId', p.id, 'delay', p.process_at_ms) END)
    ) AS e(step, event, data)
    WHERE NOT EXISTS (SELECT 1 FROM meta WHERE queue = p_queue AND field = 'opts.maxLenEvents' AND value = '0')
    ORDER BY p.nth, e.step
  )
  SELECT array_agg(w.id ORDER BY w.nth), (SELECT bool_or(f.state = 'waiting') FROM fresh f),
    (SELECT min(f.process_at_ms) FROM fresh f WHERE f.state = 'delayed')
  INTO ids, waits, first_at FROM wanted w;

  -- A worker that waits knows when the first delayed job is due, and then looks for the next: it need not hear of later
  -- ones. Jobs due before now are over, or were not taken, and their places must not be walked over each time.
  IF waits OR first_at <= (SELECT coalesce(min(j.process_at_ms), first_at) FROM job j WHERE j.queue = p_queue AND j.state = 'delayed'
      AND j.process_at_ms > (extract(epoch FROM clock_timestamp()) * 1000)::bigint - 1000) THEN
    PERFORM pg_notify('bullmq_jobs', p_queue);
  END IF;
  RETURN QUERY SELECT unnest(ids);
END;
