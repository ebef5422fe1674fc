-- name: import_has_phones
-- Whether anyone on a list has several numbers.
select exists (select from carillon.phones p where p.campaign_id = @campaignId) as yes

-- name: import_resolve
-- Before the merge: a row of someone who is on the list under another of its numbers takes that number.
-- @campaignId: campaign Each number is looked up by itself, and by the number: the list may have been written a moment
-- ago, and the server, which does not know yet how long it is, would read all of it for each of them. So the campaign
-- is compared in a way for which it has no index.
with numbers as materialized (
  select s.ctid as at, s.phone as given, s.ref, 0 as nth, s.phone from stage s
  union all
  select s.ctid, s.phone, s.ref, p.nth, p.phone from stage_phones p join stage s on s.phone = p.person where p.phone <> ''
), known as materialized (
  select distinct on (n.at) n.at, n.given, k.phone from numbers n
  cross join lateral (
    (select r.phone, 0 as rank from carillon.phones p join carillon.recipients r on r.id = p.recipient_id
      where p.phone = n.phone and p.campaign_id is not distinct from @campaignId and r.ref = n.ref limit 1)
    union all
    (select r.phone, 1 from carillon.recipients r
      where r.phone = n.phone and r.campaign_id is not distinct from @campaignId and r.ref = n.ref limit 1)
  ) k
  order by n.at, n.nth, k.rank
), renamed as (
  update stage s set phone = k.phone, given = k.given from known k where s.ctid = k.at and k.phone <> k.given
)
update stage_phones p set person = k.phone from known k where p.person = k.given and k.phone <> k.given

-- name: import_twins
-- Rows that turn out to be of one person: the first stays.
-- @keepsRejects: whether the list's rejects are written as they are. Returns how many are rejected
with twins as (
  delete from stage s using (
    select x.ctid as at, first_value(x.row) over same as first, row_number() over same as nth
    from stage x where x.never is null window same as (partition by x.phone, x.ref order by x.row, x.ctid)
  ) t
  where s.ctid = t.at and t.nth > 1
  returning s.row, 'duplicate of line ' || t.first as reason, s.input
), written as (
  insert into carillon.rejects (campaign_id, row, reason, input)
  select @campaignId::uuid, t.row, t.reason, t.input from twins t where @keepsRejects::boolean
), staged as (
  insert into stage_rejects (row, reason, input) select t.row, t.reason, t.input from twins t
    where not @keepsRejects::boolean
)
select count(*)::integer as twins from twins

-- name: import_phones_gone
-- The former numbers of people who took their row of the list.
delete from carillon.phones k using carillon.recipients r, stage s
where r.campaign_id = @campaignId and s.laid and r.phone = s.phone and r.ref = s.ref and k.recipient_id = r.id

-- name: import_phones_given
-- Nobody whom a row changed was called: they begin with the first number of the row.
update carillon.recipients r set phone = s.given, updated_at = now()
from stage s
where r.campaign_id = @campaignId and s.laid and s.given is not null and r.phone = s.phone and r.ref = s.ref
  and not exists (select from carillon.recipients o where o.campaign_id = @campaignId and o.phone = s.given
    and o.ref = s.ref)

-- name: import_phones
-- The numbers of people who have several and have none yet: of new people, and of those who took their row. A number
-- that is another person's stays with that person.
with people as materialized (
  select x.person, r.id from (select distinct p.person from stage_phones p) x
  cross join lateral (
    select r.id from (
      select x.person as phone
      union all
      (select s.given from stage s where s.phone = x.person and s.ref = '' and s.laid and s.given is not null limit 1)
    ) n
    cross join lateral (
      select r.id from carillon.recipients r
      where r.phone = n.phone and r.campaign_id is not distinct from @campaignId and r.ref = '' and r.several
        and not exists (select from carillon.phones k where k.recipient_id = r.id) limit 1
    ) r limit 1
  ) r
), theirs as materialized (
  select m.id, p.nth, p.place, p.passed, p.phone, exists (
      select from carillon.recipients o
      where o.phone = k.phone and o.campaign_id is not distinct from @campaignId and o.ref = ''
        and o.id <> m.id) as taken
  from people m join stage_phones p on p.person = m.person
  cross join lateral (select carillon.known_as(@campaignId, p.phone) as phone offset 0) k
), kept as (
  insert into carillon.phones (recipient_id, nth, campaign_id, phone, place, passed)
  select t.id, t.nth, @campaignId, case when t.taken then '' else t.phone end, t.place,
    case when t.taken then 'another person of this list has it' else t.passed end
  from theirs t
)
insert into carillon.campaign_places (campaign_id, place)
select distinct @campaignId::uuid, t.place from theirs t where t.phone <> '' and not t.taken
on conflict do nothing

-- name: pass_barred
-- People with several numbers who must not be called on the one that is next: see carillon.turn_phone. @to: campaign
update carillon.recipients r set state = carillon.end_state(r.outcome), reason = 'suppressed', updated_at = now()
where r.campaign_id = @to and r.several and r.state = 'waiting'
  and exists (select from carillon.barring(r.phone, r.campaign_id))
