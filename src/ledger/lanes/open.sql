-- The lane creates calls again: parked attempts are planned again, in their old places, and the deadlines of its calls
-- move by the time in which no poll was possible. Returns what a scope has to dial, in order; other processes make the
-- jobs of the others. $1 lane, $2 the run's campaign (null: background)
with before as (
  select id, state, since from carillon.lanes where id = $1 and state <> 'open' for update
), lane as (
  update carillon.lanes l set state = 'open', reason = null, since = now(), losses = 0,
    probe_at = null, probe_attempt = null,
    refused_since = null, refused_calls = null, spare_since = null, refused_words = null,
    -- An outage that comes back at once is probed less and less often.
    probe_gap_ms = case when b.state = 'failing' then l.probe_gap_ms else 5000 end
  from before b where l.id = b.id
), calls as (
  update carillon.attempts a set deadline_at = a.deadline_at + (now() - b.since), next_poll_at = now()
  from before b where b.state = 'denied' and a.lane_id = b.id and a.state = 'placed'
), moved as (
  update carillon.attempts a set state = 'planned', detail = null
  from before b, carillon.campaigns c
  where a.lane_id = b.id and a.state = 'parked' and c.id = a.campaign_id and c.state <> 'canceled'
  returning a.id, a.recipient_id, a.campaign_id, a.planned_at
)
select x.id from (
  select id, recipient_id, campaign_id, planned_at from moved
  union all
  select a.id, a.recipient_id, a.campaign_id, a.planned_at from carillon.attempts a join before b on b.id = a.lane_id
  where a.state = 'planned'
) x join carillon.recipients r on r.id = x.recipient_id join carillon.campaigns c on c.id = x.campaign_id
where ($2::uuid is null and c.driver = 'background') or c.id = $2
order by x.planned_at, r.row, x.id
