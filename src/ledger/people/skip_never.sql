-- People who can never be called at any hour: skipped with the reason, because a waiting row must become due one day.
-- $1 campaign, $2 places, $3 the reason of each
with never as (
  select z.place, z.why from unnest($2::text[], $3::text[]) as z(place, why)
), moved as (
  update carillon.recipients r
  set state = carillon.end_state(r.outcome), reason = n.why, updated_at = now()
  from never n where r.campaign_id = $1 and r.state = 'waiting' and r.place = n.place
  returning r.id
)
select count(*)::integer as skipped from moved
