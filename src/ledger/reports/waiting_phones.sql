-- How many rows of a campaign that are due wait for a phone that another attempt has, by place. Live phones are few.
-- $1 campaign
select w.place, count(*)::integer as n
from carillon.live_phones p
cross join lateral (
  select r.place from carillon.recipients r
  where r.phone = p.phone and r.campaign_id = $1 and r.state = 'waiting' and r.next_at <= now() offset 0
) w
group by w.place order by w.place
