-- name: id_of
-- The recipient of a campaign by the phone; the latest, if single calls have several.
select r.id from carillon.recipients r where r.phone = carillon.known_as(@campaignId, @phone)
  and r.campaign_id = @campaignId order by r.id desc limit 1

-- name: variables_of
-- The variables that go to the service with a person's next call.
select carillon.variables_of(r.input, r.variables) as variables from carillon.recipients r where r.id = @recipientId

-- name: version
-- A value that grows with every change of a person's row, and locks the row until the transaction ends.
select carillon.version_of(r.updated_at) as version from carillon.recipients r where r.id = @recipientId
for no key update

-- name: version_seen
-- The same value, without the lock.
select carillon.version_of(r.updated_at) as version from carillon.recipients r where r.id = @recipientId

-- name: digest
-- A digest of whom an act would call, and with what: see carillon.people_digest.
-- @campaign (null: any); @outcomes (null: those whom it has yet to call); @phone (null: any)
-- long
select carillon.people_digest(@campaign::uuid, @outcomes::text[], @phone) as digest

-- name: change
-- Changes one person: see carillon.change_person. @change: what changes
select carillon.change_person(@recipientId, @change::jsonb) as refusal

-- name: remove
-- Takes one person off a list: see carillon.remove_person.
select carillon.remove_person(@recipientId) as refusal

-- name: skip_never
-- Skips people who can never be called at any hour, with the reason, because a waiting row must become due one day.
-- Whoever has several numbers moves to the next, and is looked at again. @reasons: of each
with never as (
  select z.place, z.why from unnest(@places::text[], @reasons::text[]) as z(place, why)
), moved as (
  update carillon.recipients r
  set state = carillon.end_state(r.outcome), reason = n.why, updated_at = now()
  from never n where r.campaign_id = @campaignId and r.state = 'waiting' and r.place = n.place
  returning r.state
)
select count(*) filter (where m.state <> 'waiting')::integer as skipped, count(*)::integer as moved from moved m

-- name: expect_list
-- How many people of a campaign an import will find in each state: see carillon.expected_people.
-- @spends: whether its order allows fewer attempts than before; @renews: whether it allows more; @maxAttempts: how
-- many; @retried: the outcomes with a retry rule
-- long
select p.state, p.outcome, case when p.state = 'skipped' then p.reason end as reason, p.uncalled, count(*)::integer as n
from carillon.expected_people(@campaignId, @spends, @renews, @maxAttempts, @retried) p group by 1, 2, 3, 4

-- name: expect_rows
-- The phones of a list that are on the campaign or must not be called, each with its place in the list. Looked up one
-- by one, however long the campaign's list is.
-- @campaignId, @retried: as in expect_list (a campaign that is not there yet is null)
-- long
select x.at::integer as at, p.state, p.outcome, p.reason, p.uncalled, p.comes_back as "comesBack",
  p.was_called as "wasCalled", p.has_plan as "hasPlan", b.is_barred as "isBarred"
from unnest(@phones::text[]) with ordinality as x(phone, at)
cross join lateral (select carillon.known_as(@campaignId, x.phone) as phone offset 0) k
left join lateral (
  select e.* from carillon.expected_people(@campaignId, @spends, @renews, @maxAttempts, @retried) e
    where e.phone = k.phone and e.ref = '' offset 0
) p on true
cross join lateral (
  select exists (select from carillon.barring(x.phone, @campaignId)) as is_barred
) b
where p.state is not null or b.is_barred

-- name: expect_changes
-- The places of the rows that would change a person on the list.
-- @rule: the rule for people who are on the list; @lines: [{phone, input, variables, name, agent, place, ownPlace}]
-- long
select x.at::integer as at
from jsonb_array_elements(@lines::jsonb) with ordinality as x(line, at)
cross join lateral jsonb_to_record(x.line) as s(
  phone text, input jsonb, variables jsonb, name text, agent text, place text, "ownPlace" boolean)
cross join lateral (select carillon.known_as(@campaignId, s.phone) as phone offset 0) n
cross join lateral (
  select k from carillon.recipients k
  where k.phone = n.phone and k.campaign_id is not distinct from @campaignId and k.ref = '' offset 0
) k
left join carillon.attempts a on a.recipient_id = (k.k).id
cross join lateral carillon.laid_over(
  @rule::text, k.k, a.state, s.input, s.variables, s.name, s.agent, s.place, s."ownPlace") l
where l.changes

-- name: expect_snapshot
-- Reads see the ledger as it is at one moment until the end of this transaction, and nothing is changed.
set transaction isolation level repeatable read, read only
