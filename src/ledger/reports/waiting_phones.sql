-- How many rows of a campaign that are due wait for a phone that another attempt has, by place. Live phones are few, and
-- each is looked up by itself first: by their state or time, all who wait would be read for each phone.
-- $1 campaign
select w.place, count(*)::integer as n
from carillon.live_phones p
cross join lateral (
  select r.place, r.state, r.next_at from carillon.recipients r where r.phone = p.phone and r.campaign_id = $1 offset 0
) w
where w.state = 'waiting' and w.next_at <= now()
group by w.place order by w.place
