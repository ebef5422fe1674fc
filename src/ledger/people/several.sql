-- name: import_has_phones
-- Whether anyone on a list has several numbers. $1 campaign
select exists (select from carillon.phones p where p.campaign_id = $1) as yes

-- name: import_resolve
-- Before the merge: a row of someone who is on the list under another of its numbers takes that number. $1 campaign
with known as materialized (
  select distinct on (s.ctid) s.ctid as at, s.phone as given, r.phone
  from stage s
  cross join lateral (
    select 0 as nth, s.phone
    union all
    select p.nth, p.phone from stage_phones p where p.person = s.phone and p.phone <> ''
  ) n
  join carillon.recipients r on r.campaign_id = $1 and r.phone = carillon.known_as($1, n.phone) and r.ref = s.ref
  order by s.ctid, n.nth
), renamed as (
  update stage s set phone = k.phone, given = k.given from known k where s.ctid = k.at and k.phone <> k.given
)
update stage_phones p set person = k.phone from known k where p.person = k.given and k.phone <> k.given

-- name: import_twins
-- Rows that turn out to be of one person: the first stays. $1 campaign, $2 whether the list's rejects are written as they
-- are. Returns how many are rejected
with twins as (
  delete from stage s using (
    select x.ctid as at, first_value(x.row) over same as first, row_number() over same as nth
    from stage x where x.never is null window same as (partition by x.phone, x.ref order by x.row, x.ctid)
  ) t
  where s.ctid = t.at and t.nth > 1
  returning s.row, 'duplicate of line ' || t.first as reason, s.input
), written as (
  insert into carillon.rejects (campaign_id, row, reason, input)
  select $1::uuid, t.row, t.reason, t.input from twins t where $2::boolean
), staged as (
  insert into stage_rejects (row, reason, input) select t.row, t.reason, t.input from twins t where not $2::boolean
)
select count(*)::integer as twins from twins

-- name: import_phones_gone
-- The former numbers of people who took their row of the list. $1 campaign
delete from carillon.phones k using carillon.recipients r, stage s
where r.campaign_id = $1 and s.laid and r.phone = s.phone and r.ref = s.ref and k.recipient_id = r.id

-- name: import_phones_given
-- Nobody whom a row changed was called: they begin with the first number of the row. $1 campaign
update carillon.recipients r set phone = s.given, updated_at = now()
from stage s
where r.campaign_id = $1 and s.laid and s.given is not null and r.phone = s.phone and r.ref = s.ref
  and not exists (select from carillon.recipients o where o.campaign_id = $1 and o.phone = s.given and o.ref = s.ref)

-- name: import_phones
-- The numbers of people who have several and have none yet: of new people, and of those who took their row. A number that
-- is another person's stays with that person. $1 campaign
with people as materialized (
  select r.id, x.person from (select distinct p.person from stage_phones p) x
  cross join lateral (
    select r.id from carillon.recipients r
    left join stage s on s.phone = x.person and s.ref = '' and s.laid
    where r.campaign_id = $1 and r.phone in (x.person, s.given) and r.ref = '' and r.several
      and not exists (select from carillon.phones k where k.recipient_id = r.id)
    limit 1
  ) r
), theirs as materialized (
  select m.id, p.nth, p.place, p.passed, p.phone, exists (
      select from carillon.recipients o
      where o.campaign_id = $1 and o.phone = carillon.known_as($1, p.phone) and o.ref = '' and o.id <> m.id) as taken
  from people m join stage_phones p on p.person = m.person
), kept as (
  insert into carillon.phones (recipient_id, nth, campaign_id, phone, place, passed)
  select t.id, t.nth, $1, case when t.taken then '' else t.phone end, t.place,
    case when t.taken then 'another person of this list has it' else t.passed end
  from theirs t
)
insert into carillon.campaign_places (campaign_id, place)
select distinct $1::uuid, t.place from theirs t where t.phone <> '' and not t.taken
on conflict do nothing

-- name: pass_barred
-- People with several numbers who must not be called on the one that is next: see carillon.turn_phone. $1 campaign
update carillon.recipients r set state = carillon.end_state(r.outcome), reason = 'suppressed', updated_at = now()
where r.campaign_id = $1 and r.several and r.state = 'waiting'
  and exists (select from carillon.barring(r.phone, r.campaign_id))
