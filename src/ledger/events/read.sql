-- Events after a number, in order: rows whose last event is after it, until there are enough. It looks at so many numbers
-- only, which have no gap: `upto` is how far it looked, also where nothing fits; null where nothing is after it.
-- $1 after this number, $2 how many events, $3 types (null: any), $4 campaign (null: any), $5 how many numbers to look at
with start as (
  select greatest($1::bigint, m.gone) as after from carillon.event_marks m
), near as (
  select e.first, e.last, e.numbered_at, e.at, e.type, e.campaign_id, e.recipients, e.attempts, e.subject, e.data
  from start s cross join lateral (
    select * from carillon.events x where x.last > s.after and x.last <= s.after + $5::integer order by x.last
  ) e
), fits as (
  select n.*, sum(n.last - n.first + 1) over (order by n.last) - (n.last - n.first + 1) as ahead
  from near n
  where ($3::text[] is null or n.type = any ($3)) and ($4::uuid is null or n.campaign_id = $4)
), chosen as (
  select * from fits f where f.ahead < $2::integer
), reach as (
  select case when (select count(*) from fits) > (select count(*) from chosen) then (select max(c.last) from chosen c)
    else (select max(n.last) from near n) end as upto
)
select r.upto, c.first, c.last, c.numbered_at as "numberedAt", c.at, c.type, c.campaign_id as "campaignId",
  c.recipients::text[] as recipients, c.attempts::text[] as attempts, c.subject, c.data
from reach r left join chosen c on true
order by c.last
