-- name: keep
-- Requests to the service and what came back, for anyone who wants to see how an attempt went. Erased people get none.
-- @items: [{attempt, at, told}]
insert into carillon.exchanges (attempt_id, at, told)
select x.attempt, x.at, x.told from jsonb_to_recordset(@items::jsonb) as x(attempt uuid, at timestamptz, told jsonb)
where not exists (
  select from carillon.all_attempts a join carillon.recipients r on r.id = a.recipient_id
  where a.id = x.attempt and r.erased_at is not null offset 0)

-- name: of
-- An attempt's requests, in order.
select e.at, e.told from carillon.exchanges e where e.attempt_id = @attemptId order by e.at, e.id limit 200

-- name: forget
-- Removes what is too old among the oldest rows: newer rows are not read. Returns whether there may be more.
with gone as (
  delete from carillon.exchanges e
  using (select x.id, x.at from carillon.exchanges x order by x.id limit 5000) x
  where e.id = x.id and x.at < now() - make_interval(secs => @seconds)
  returning 1
)
select count(*) = 5000 as more from gone
