-- A dialer died between its commit and its answer: nobody knows whether the request left.
-- Judged by the attempt's own expiry only. $1 service
with moved as (
  update carillon.attempts a
  set state = 'unknown', reason = 'crashed', detail = 'the process that dialled ended before an answer was kept'
  from carillon.campaigns c
  where c.id = a.campaign_id and c.base_url = $1 and a.state = 'dialing'
    and a.expires_at < clock_timestamp()
  returning a.id
)
select count(*)::integer as lost from moved
