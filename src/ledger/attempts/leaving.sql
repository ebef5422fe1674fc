-- Attempts whose create may still leave: a dialer that wakes two seconds after its commit sends nothing. And for how
-- long at most. $1 campaigns (null: any), $2 phones (null: any)
select count(*)::integer as leaving,
  coalesce(extract(epoch from max(a.dialing_at) + interval '2 s' - clock_timestamp()) * 1000, 0)::double precision as "withinMs"
from carillon.attempts a
where a.state = 'dialing' and a.dialing_at > clock_timestamp() - interval '2 s'
  and ($1::uuid[] is null or a.campaign_id = any ($1)) and ($2::text[] is null or a.phone = any ($2))
