-- How many rows of a campaign that are due wait for a phone that another attempt has, by place. Live phones are few.
-- $1 campaign
select w.zones as place, count(*)::integer as n
from carillon.live_phones p
cross join lateral (
  select r.zones from carillon.recipients r
  where r.phone = p.phone and r.campaign_id = $1 and r.state = 'waiting' and r.next_at <= now() offset 0
) w
group by w.zones order by w.zones
