-- The bucket of a lane, and the memory that its processes share, for the engine without Redis.
-- All times are ms since the epoch by the server's own clock, read after the lane's row is locked.
--
-- next_at is when the next token may be used if the burst is used up; the further it is in the past, the more of
-- the burst has gathered. rest_until is the time before which no token may be used.

CREATE SCHEMA IF NOT EXISTS carillon_engine;

-- Unlogged: a take costs no disk write. A crash of the server empties the table. Every engine can lose its buckets,
-- and a lane then starts as if it had just been used.
CREATE UNLOGGED TABLE IF NOT EXISTS carillon_engine.bucket (
  lane       text PRIMARY KEY,
  rate       double precision,
  burst      double precision,
  next_at    double precision,
  rest_until double precision NOT NULL DEFAULT 0
) WITH (fillfactor = 50);

-- Logged: what was learned about a lane must survive a crash.
CREATE TABLE IF NOT EXISTS carillon_engine.memory (
  lane    text PRIMARY KEY,
  version integer NOT NULL,
  value   jsonb NOT NULL
);

CREATE OR REPLACE FUNCTION carillon_engine.now_ms() RETURNS double precision
LANGUAGE sql VOLATILE
RETURN (extract(epoch FROM clock_timestamp()) * 1000)::double precision;

-- The lane's row, locked; created without a pace when there is none.
CREATE OR REPLACE FUNCTION carillon_engine.lock_lane(p_lane text) RETURNS carillon_engine.bucket
LANGUAGE plpgsql AS $$
DECLARE
  v carillon_engine.bucket;
BEGIN
  SELECT * INTO v FROM carillon_engine.bucket WHERE lane = p_lane FOR UPDATE;
  IF NOT FOUND THEN
    INSERT INTO carillon_engine.bucket (lane) VALUES (p_lane) ON CONFLICT DO NOTHING;
    SELECT * INTO v FROM carillon_engine.bucket WHERE lane = p_lane FOR UPDATE;
  END IF;
  RETURN v;
END $$;

-- Grants up to p_want tokens that may be used within p_horizon ms. The pace is used only when none is stored.
CREATE OR REPLACE FUNCTION carillon_engine.take(
  p_lane text, p_want integer, p_horizon double precision, p_rate double precision, p_burst double precision,
  OUT delays double precision[], OUT wait_ms double precision
)
LANGUAGE plpgsql AS $$
DECLARE
  v           carillon_engine.bucket := carillon_engine.lock_lane(p_lane);
  v_now       double precision := carillon_engine.now_ms();
  v_rate      double precision := coalesce(v.rate, p_rate);
  v_burst     double precision := coalesce(v.burst, p_burst);
  v_gap       double precision := 1000 / v_rate;
  v_tolerance double precision := (v_burst - 1) * v_gap;
  v_free      double precision := greatest(coalesce(v.next_at, v_now + v_gap), v.rest_until);
  v_at        double precision;
BEGIN
  delays := '{}';
  wait_ms := 0;
  FOR i IN 1 .. p_want LOOP
    v_at := greatest(v_now, v_free);
    EXIT WHEN v_at - v_now > p_horizon;
    delays := delays || (v_at - v_now);
    v_free := greatest(v_free, v_at - v_tolerance) + v_gap;
  END LOOP;
  IF cardinality(delays) = 0 THEN
    wait_ms := greatest(v_now, v_free) - v_now;
  END IF;
  IF cardinality(delays) > 0 THEN
    UPDATE carillon_engine.bucket SET rate = v_rate, burst = v_burst, next_at = v_free WHERE lane = p_lane;
  ELSIF v.rate IS NULL THEN
    UPDATE carillon_engine.bucket SET rate = v_rate, burst = v_burst, next_at = v_now + v_gap WHERE lane = p_lane;
  END IF;
END $$;

CREATE OR REPLACE FUNCTION carillon_engine.pace(p_lane text, p_rate double precision, p_burst double precision)
RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  v      carillon_engine.bucket := carillon_engine.lock_lane(p_lane);
  v_now  double precision := carillon_engine.now_ms();
  v_gap  double precision := 1000 / p_rate;
  v_old  double precision := 1000 / v.rate;
  v_base double precision := v.next_at;
  v_next double precision;
BEGIN
  IF v.rest_until <= v_now THEN
    v_base := greatest(v_base, v.rest_until);
  END IF;
  IF v.rate IS NULL THEN
    v_next := v_now + v_gap;
  ELSIF v_base <= v_now THEN
    -- Gathered tokens are kept as tokens, not as time, which another rate would multiply.
    v_next := v_now - least((v_now - v_base) / v_old, v.burst - 1, p_burst - 1) * v_gap;
  ELSIF v_base - v_now <= v_old THEN
    v_next := v_now + (v_base - v_now) / v_old * v_gap;
  ELSE
    -- Tokens up to v_base - v_old are already granted.
    v_next := v_base - v_old + v_gap;
  END IF;
  UPDATE carillon_engine.bucket SET rate = p_rate, burst = p_burst, next_at = v_next WHERE lane = p_lane;
END $$;

-- The longest of several rests counts.
CREATE OR REPLACE FUNCTION carillon_engine.rest(p_lane text, p_ms double precision) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  v carillon_engine.bucket := carillon_engine.lock_lane(p_lane);
BEGIN
  UPDATE carillon_engine.bucket
     SET rest_until = greatest(v.rest_until, carillon_engine.now_ms() + p_ms)
   WHERE lane = p_lane;
END $$;

-- The rest ends now; it is not erased, because tokens must not gather during it and come out as a burst.
CREATE OR REPLACE FUNCTION carillon_engine.wake(p_lane text) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  v carillon_engine.bucket := carillon_engine.lock_lane(p_lane);
BEGIN
  UPDATE carillon_engine.bucket
     SET rest_until = least(v.rest_until, carillon_engine.now_ms())
   WHERE lane = p_lane;
END $$;

-- Compare-and-set; version 0 stands for "nothing stored".
CREATE OR REPLACE FUNCTION carillon_engine.write_memory(p_lane text, p_version integer, p_value jsonb)
RETURNS boolean
LANGUAGE plpgsql AS $$
BEGIN
  IF p_version = 0 THEN
    INSERT INTO carillon_engine.memory (lane, version, value) VALUES (p_lane, 1, p_value)
    ON CONFLICT DO NOTHING;
  ELSE
    UPDATE carillon_engine.memory SET version = version + 1, value = p_value
     WHERE lane = p_lane AND version = p_version;
  END IF;
  RETURN FOUND;
END $$;
