-- Attempts whose dialer died and noted its creates in a journal, when their expiry has passed: they may never have left.
-- $1 service
select a.id, a.ticket, a.journal
from carillon.attempts a join carillon.campaigns c on c.id = a.campaign_id
where c.base_url = $1 and a.journal is not null and a.ticket is not null and a.call_id is null
  and (a.state = 'dialing' or (a.state = 'unknown' and a.reason = 'crashed')) and a.expires_at < clock_timestamp()
order by a.dialing_at limit 20000
