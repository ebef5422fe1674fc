  IF EXISTS (SELECT 1 FROM meta WHERE queue = p_queue AND field = 'opts.maxLenEvents' AND value = '0') THEN
    RETURN NULL;
  END IF;
