  IF p_remove_all AND EXISTS (SELECT 1 FROM meta WHERE queue = p_queue AND field = 'opts.maxLenEvents' AND value = '0') THEN
    DELETE FROM job j
     WHERE j.queue = p_queue AND j.id = p_id AND j.state = 'active' AND (p_token = '0' OR j.lock_token = p_token)
       AND j.parent_id IS NULL AND j.dedup_id IS NULL
       AND NOT EXISTS (SELECT 1 FROM job_dependency d WHERE d.parent_queue = p_queue AND d.parent_id = p_id);
    IF FOUND THEN
      RETURN p_finished_on;
    END IF;
  END IF;
