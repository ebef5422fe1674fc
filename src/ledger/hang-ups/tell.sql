-- What came of a request to hang up: an outcome, or when it is tried again. An outcome is noted in the person's history.
-- $1 attempt, $2 outcome (null: it is tried again), $3 the service's words, $4 seconds until then
with told as (
  update carillon.hang_ups h
  set outcome = $2, detail = $3, due_at = case when $2::text is null then clock_timestamp() + make_interval(secs => $4) else h.due_at end
  where h.attempt_id = $1 and h.outcome is null
  returning h.attempt_id
), noted as (
  insert into carillon.history (recipient_id, attempt_id, kind, detail)
  select a.recipient_id, t.attempt_id, 'hang-up', concat_ws(': ', $2::text, $3::text)
  from told t cross join lateral (
    select x.recipient_id from carillon.all_attempts x where x.id = t.attempt_id offset 0
  ) a
  where $2::text is not null
)
select attempt_id as id from told
