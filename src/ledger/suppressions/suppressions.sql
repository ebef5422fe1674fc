-- name: add
-- Takes effect at once: anyone who is not yet being called is skipped; see carillon.suppress.
-- $1 [{phone, source, reason, until}], $2 the campaign that may not call them (null: none may), $3 whether live calls
-- are hung up
-- long
select added, skipped, calls::text[] as calls from carillon.suppress($1::jsonb, $2::uuid, $3::boolean)

-- name: remove
-- Future campaigns may call them again; a row that was skipped stays skipped.
-- $1 phones, $2 the campaign whose list they are taken off (null: the list of all)
delete from carillon.suppressions
where phone = any ($1::text[]) and campaign_id is not distinct from $2::uuid
returning phone

-- name: bars
-- Whether a phone must not be called by any campaign. $1 phone
select exists (select from carillon.barring($1, null)) as bars

-- name: page
-- A page ordered by phone, including suppressions whose end has passed. It shows nothing of erased people.
-- $1 $2 after this phone and scope, $3 how many, $4 only these phones, $5 only of this source, $6 only of this campaign
-- (null: any)
select s.phone, s.scope, s.source, c.name as campaign, s.reason, s.until, s.created_at as "createdAt"
from carillon.suppressions s left join carillon.campaigns c on c.id = s.campaign_id
where (s.phone, s.scope) > ($1, $2::uuid) and not starts_with(s.phone, 'erased:')
  and ($4::text[] is null or s.phone = any ($4::text[])) and ($5::text is null or s.source = $5)
  and ($6::uuid is null or s.campaign_id = $6)
order by s.phone, s.scope limit $3

-- name: names
-- Who has each of these phones, by the list that came last and names the person. $1 phones
select w.phone, p.name from unnest($1::text[]) as w(phone)
cross join lateral (
  select r.name from carillon.people_with(w.phone) x(id)
  cross join lateral (select y.id, y.name from carillon.recipients y where y.id = x.id offset 0) r
  where r.name is not null order by r.id desc limit 1
) p

-- name: numbers
-- These phones, with all numbers of the people who have one of them. $1 phones
select distinct k.phone from unnest($1::text[]) as w(phone)
cross join lateral (
  select w.phone
  union
  select p.phone from carillon.people_with(w.phone) x(id) join carillon.phones p on p.recipient_id = x.id where p.phone <> ''
) k
order by 1
