-- A dialer died between its commit and its answer: nobody knows whether the request left.
-- $1 service, $2 campaign that a new run took over (null: any), $3 older than so many seconds
with moved as (
  update carillon.attempts a
  set state = 'unknown', reason = 'crashed', detail = 'the process that dialled ended before an answer was kept'
  from carillon.campaigns c
  where c.id = a.campaign_id and c.base_url = $1 and a.state = 'dialing'
    and ($2::uuid is null or c.id = $2)
    and a.dialing_at < now() - make_interval(secs => $3)
  returning a.id, a.recipient_id, a.detail
), people as (
  update carillon.recipients r
  set state = 'unknown', reason = m.detail, attempts = r.attempts + 1, updated_at = now()
  from moved m where r.id = m.recipient_id
)
select count(*)::integer as lost from moved
