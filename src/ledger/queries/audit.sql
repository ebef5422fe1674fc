-- The balance of the ledger: each broken rule with how often it is broken.
-- long
select 'a recipient that is queued or parked has no planned or parked attempt' as rule, count(*)::integer as broken
from carillon.recipients r where r.state = 'queued' and not exists (
  select from carillon.attempts a where a.recipient_id = r.id and a.state = 'planned')
union all
select 'a recipient that is calling has no call under way', count(*)::integer
from carillon.recipients r where r.state = 'calling' and not exists (
  select from carillon.attempts a where a.recipient_id = r.id and a.state in ('dialing', 'placed'))
union all
select 'a recipient that is unknown has no unknown attempt', count(*)::integer
from carillon.recipients r where r.state = 'unknown' and not exists (
  select from carillon.attempts a where a.recipient_id = r.id and a.state = 'unknown')
union all
select 'a live attempt belongs to a recipient in another state', count(*)::integer
from carillon.attempts a join carillon.recipients r on r.id = a.recipient_id
where a.state in ('planned', 'parked', 'dialing', 'placed', 'unknown') and r.state <> case a.state
  when 'planned' then 'queued' when 'parked' then 'parked' when 'unknown' then 'unknown' else 'calling' end
union all
select 'a recipient has more accepted calls than attempts', count(*)::integer
from (select r.id from carillon.recipients r join carillon.attempts a on a.recipient_id = r.id and a.call_id is not null
  group by r.id, r.attempts having count(*) > r.attempts) x
union all
select 'a recipient was called more often than the campaign allows', count(*)::integer
from (select r.id from carillon.recipients r join carillon.campaigns c on c.id = r.campaign_id
  join carillon.attempts a on a.recipient_id = r.id and a.call_id is not null
  group by r.id, c.max_attempts, c.most_attempts having count(*) > greatest(c.max_attempts, c.most_attempts)) x
union all
select 'one call of the service stands under two attempts', count(*)::integer
from (select a.call_id from carillon.attempts a join carillon.campaigns c on c.id = a.campaign_id
  where a.call_id is not null group by c.base_url, a.call_id having count(*) > 1) x
union all
select 'a recipient that is done was never called', count(*)::integer
from carillon.recipients r where r.state = 'done' and not exists (
  select from carillon.attempts a where a.recipient_id = r.id and a.state in ('done', 'refused'))
