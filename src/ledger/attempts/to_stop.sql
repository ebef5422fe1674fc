-- What a stop of everything is about: the running campaigns that call a list, whom they and single calls have yet to call,
-- and who is being dialled or on a call, over all services. People come from the tallies: nobody's row is read.
select r.campaigns,
  (select coalesce(sum(n.n), 0) from carillon.counts n
    where n.campaign_id = any (r.ids) and n.name in ('waiting', 'parked'))::integer + a.people as people,
  a.calling
from (select (count(*) filter (where c.kind = 'list'))::integer as campaigns, coalesce(array_agg(c.id), '{}') as ids
  from carillon.campaigns c where c.state = 'running') r
cross join lateral (select
    (count(*) filter (where l.state in ('planned', 'parked') and l.campaign_id = any (r.ids)))::integer as people,
    (count(*) filter (where l.state in ('dialing', 'placed')))::integer as calling
  from carillon.attempts l) a
