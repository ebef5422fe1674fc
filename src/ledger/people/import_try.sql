-- Of phones that would be added to a list: how many are on it, and how many must not be called. $1 campaign (null: one that is
-- not there yet), $2 phones
select count(*) filter (where k.id is not null)::integer as known,
  count(*) filter (where exists (select from carillon.barring(p.phone, $1)))::integer as suppressed
from unnest($2::text[]) as p(phone)
left join lateral (
  select r.id from carillon.recipients r where r.campaign_id = $1 and r.phone = p.phone and r.ref = '' offset 0
) k on true
