-- Pauses running campaigns that stop by themselves: the first people have been called, or too many calls failed. Not
-- those with nobody left to call. $1 service, $2 how many calls are needed to judge by
with left_over as (
  select c.* from carillon.campaigns c
  where c.base_url = $1 and c.state = 'running' and (c.stop_percent is not null or c.first_people > c.first_met)
    and (exists (select from carillon.recipients r where r.campaign_id = c.id and r.state = 'waiting')
      or exists (select from carillon.attempts a where a.campaign_id = c.id and a.state in ('planned', 'parked')))
), failing as (
  select c.id, format('stop-at: %s of %s calls in %s failed', e.failed, e.calls,
    case when c.stop_seconds % 60 = 0 then c.stop_seconds / 60 || ' min' else c.stop_seconds || ' s' end) as why
  from left_over c cross join lateral (
    select count(*) as calls, count(*) filter (where x.failed) as failed from carillon.recent_ends x
    where x.campaign_id = c.id and x.at > clock_timestamp() - make_interval(secs => c.stop_seconds)
  ) e
  where c.stop_percent is not null and e.calls >= $2::integer and e.failed * 100 >= c.stop_percent * e.calls
), met as (
  select c.id, 'first' as why from left_over c
  where c.first_people > c.first_met and carillon.first_called(c.id) >= c.first_people
), chosen as (
  select f.id, f.why from failing f
  union all
  select m.id, m.why from met m where not exists (select from failing f where f.id = m.id)
)
update carillon.campaigns c set state = 'paused', reason = x.why, updated_at = now(),
  first_met = case when x.why = 'first' then c.first_people else c.first_met end
from chosen x where c.id = x.id and c.state = 'running'
returning c.id, c.name, c.reason
