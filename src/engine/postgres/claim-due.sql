FOR v_id IN
    SELECT due.id
      FROM job due
     WHERE due.queue = p_queue
       AND due.state = 'delayed'
       AND due.process_at_ms <= p_now
       FOR UPDATE SKIP LOCKED
  LOOP
    UPDATE job
       SET state = 'waiting', delay_ms = 0
     WHERE queue = p_queue AND id = v_id;
