-- name: add
-- Takes effect at once: anyone who is not yet being called is skipped; see carillon.suppress. @phones: [{phone, source,
-- reason, until}]; @campaignId: that may not call them (null: none may); @hangsUp: whether live calls are hung up
-- long
select added, skipped, calls::text[] as calls from carillon.suppress(@phones::jsonb, @campaignId::uuid,
  @hangsUp::boolean)

-- name: remove
-- Future campaigns may call them again; a row that was skipped stays skipped.
-- @campaignId: the campaign whose list they are taken off (null: the list of all)
delete from carillon.suppressions
where phone = any (@phones::text[]) and campaign_id is not distinct from @campaignId::uuid
returning phone

-- name: bars
-- Whether a phone must not be called by any campaign.
select exists (select from carillon.barring(@phone, null)) as bars

-- name: page
-- A page ordered by phone, including suppressions whose end has passed. It shows nothing of erased people.
-- @phone, @scope: after this phone and scope; @phones: only these phones; @source: only of this source; @campaignId:
-- only of this campaign (null: any)
select s.phone, s.scope, s.source, c.name as campaign, s.reason, s.until, s.created_at as "createdAt"
from carillon.suppressions s left join carillon.campaigns c on c.id = s.campaign_id
where (s.phone, s.scope) > (@phone, @scope::uuid) and not starts_with(s.phone, 'erased:')
  and (@phones::text[] is null or s.phone = any (@phones::text[])) and (@source::text is null or s.source = @source)
  and (@campaignId::uuid is null or s.campaign_id = @campaignId)
order by s.phone, s.scope limit @most

-- name: names
-- Who has each of these phones, by the list that came last and names the person.
select w.phone, p.name from unnest(@phones::text[]) as w(phone)
cross join lateral (
  select r.name from carillon.people_with(w.phone) x(id)
  cross join lateral (select y.id, y.name from carillon.recipients y where y.id = x.id offset 0) r
  where r.name is not null order by r.id desc limit 1
) p

-- name: numbers
-- These phones, with all numbers of the people who have one of them.
select distinct k.phone from unnest(@phones::text[]) as w(phone)
cross join lateral (
  select w.phone
  union
  select p.phone from carillon.people_with(w.phone) x(id) join carillon.phones p on p.recipient_id = x.id where p.phone <> ''
) k
order by 1
