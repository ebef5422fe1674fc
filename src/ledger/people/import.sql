-- name: import_alone
-- One import at a time into one campaign: the next one waits for it. An erasure that comes meanwhile waits for the end
-- of this transaction, and looks again: so it must be known from here on.
select pg_advisory_xact_lock(hashtextextended('carillon import ' || @campaignId::text, 0)),
  pg_current_xact_id()::text as xid

-- name: import_refused
-- Counts the rows that imports refused. @more: how many more than before
insert into carillon.tally_deltas (campaign_id, name, n) select @campaignId, 'refused', @more::integer
  where @more::integer <> 0

-- name: import_columns
-- The input's columns, old ones first; and whether the campaign still takes people.
update carillon.campaigns c
set updated_at = now(), columns = c.columns || array(
  select n from unnest(@columns::text[]) with ordinality as u(n, i) where n <> all (c.columns) order by i)
where c.id = @campaignId
returning c.state, c.name

-- name: import_first
-- Tells whether anything was ever imported into the campaign: if not, its people and rejects need no stage.
select exists (select from carillon.recipients r where r.campaign_id = @campaignId) as people,
  exists (select from carillon.rejects j where j.campaign_id = @campaignId) as rejects

-- name: import_stage
-- Holds an import's rows until the whole file has been read: a broken file leaves nothing behind.
create temporary table stage (
  row integer not null, phone text not null, ref text not null, name text, agent text, place text not null, input jsonb not null,
  variables jsonb not null, several boolean not null,
  -- Why the order never lets this person through.
  never text,
  -- The row itself says where the person is.
  own_place boolean not null,
  -- Someone who is on the list changes to this.
  laid boolean not null default false,
  -- The row's own number, where the person stands on the list under another one.
  given text
) on commit drop

-- name: import_stage_phones
-- The numbers of people who have several; `person` is the one under which the person stands in the list.
create temporary table stage_phones (
  person text not null, nth smallint not null, phone text not null, place text not null, passed text) on commit drop

-- name: import_stage_index
-- Once all rows are staged. The list may have been written a moment ago too, and then nobody knows how long it is: whichever
-- side a statement begins with, it finds the other by an index.
create index on stage (phone, ref)

-- name: import_stage_phones_index
-- The same for their numbers.
create index on stage_phones (person)

-- name: import_stage_counted
-- How long both are.
analyze stage, stage_phones

-- name: import_stage_rejects
-- Where the rejects of an import that adds to a list stand until they are held against those that are known.
create temporary table stage_rejects (row integer not null, reason text not null, input jsonb not null) on commit drop

-- name: import_stage_repairs
-- Which rejects the rows of a file of rejects were, until the whole file has been read. A person may have typed the numbers.
create temporary table repairs (line numeric not null, reason text not null) on commit drop

-- name: last_row
-- The last row of a list to which an import adds.
select greatest(
  coalesce((select max(r.row) from carillon.recipients r where r.campaign_id = @campaignId), 0),
  coalesce((select max(j.row) from carillon.rejects j where j.campaign_id = @campaignId), 0)) as "lastRow"

-- name: import_known
-- Which of these phones are on a list: looked up one by one, however long the list is.
select p.phone from unnest(@phones::text[]) as p(phone)
cross join lateral (select carillon.known_as(@campaignId, p.phone) as phone offset 0) k
cross join lateral (
  select from carillon.recipients r
  where r.phone = k.phone and r.campaign_id is not distinct from @campaignId and r.ref = '' offset 0
) known

-- name: import_barred
-- After rows went straight into a list: who must not be called, the list's places, and what was added. Returns how many
-- are barred. @added: how many were added; @lastRow: the list's last row before
with added as (
  insert into carillon.tally_deltas (campaign_id, name, n) select @campaignId::uuid, 'waiting', @added::integer
    where @added::integer > 0
), barred as (
  update carillon.recipients r set state = 'skipped', reason = 'suppressed'
  from carillon.barred x where r.campaign_id = @campaignId and r.row > @lastRow::integer and x.phone = r.phone
    and r.state = 'waiting'
    and (x.campaign_id is null or x.campaign_id = r.campaign_id)
  returning r.state
), places as (
  -- As they were before any was barred: the triggers count those that change.
  select r.place, count(*) as n from carillon.recipients r where r.campaign_id = @campaignId
    and r.row > @lastRow::integer
  group by r.place
), zoned as (
  insert into carillon.campaign_places (campaign_id, place) select @campaignId::uuid, p.place from places p
  on conflict do nothing
), waits as (
  insert into carillon.waiting_deltas (campaign_id, place, due, attempts, held, n)
  select @campaignId::uuid, p.place, '-infinity', 0, '', p.n from places p
)
select count(*)::integer as barred from barred b where b.state <> 'waiting'

-- name: import_places
insert into carillon.campaign_places (campaign_id, place) select distinct @campaignId::uuid, place from stage
  where never is null
on conflict do nothing

-- name: import_lay
-- Before the merge: the rows by which people who are on the list change, as they will be then. A plan may be in a
-- dialer's hands with what was known, so it is dropped; someone whom the dialer was quicker to call stays as they are.
-- @onKnown: the rule for people who are on the list
with met as materialized (
  select s.phone, s.ref, r.id, a.id as attempt, l.input, l.variables, l.name, l.agent, l.place
  from stage s
  join carillon.recipients r on r.campaign_id = @campaignId and r.phone = s.phone and r.ref = s.ref
  left join carillon.attempts a on a.recipient_id = r.id
  cross join lateral carillon.laid_over(
    @onKnown::text, r, a.state, s.input, s.variables, s.name, s.agent, s.place, s.own_place) l
  where s.never is null and l.changes
  for update of r
), dropped as (
  select b.recipient_id from carillon.take_back(
    array(select m.attempt from met m where m.attempt is not null), '{planned,parked}', 'changed', null, null) b
), laid as (
  update stage s set input = m.input, variables = m.variables, name = m.name, agent = m.agent, place = m.place, laid = true
  from met m
  where s.phone = m.phone and s.ref = m.ref and (m.attempt is null or m.id in (select d.recipient_id from dropped d))
  returning s.row
)
select count(*)::integer as changed from laid

-- name: import_merge
-- New people are added; known ones keep their state, and take what was laid over them. Someone who is as the row says
-- is not touched: a list that is sent again must not be written again. People whom the service refused wait again when
-- their row has changed. Their place is the file's where the file is the list; where people are added to a list, those
-- who are there keep theirs. Returns how many are new. @whole: whether the input is the whole list
with met as materialized (
  select k.id, s.row, s.laid, s.several, s.input, s.variables, s.name, s.agent, s.place, x.phone is not null as barred
  from stage s
  join carillon.recipients k on k.campaign_id = @campaignId and k.phone = s.phone and k.ref = s.ref
  left join lateral (select b.phone from carillon.barring(s.phone, @campaignId) b limit 1) x on true
  where s.never is null and (s.laid or carillon.comes_back(k.state, k.reason, k.outcome, false) or (k.row <> s.row
    and @whole::boolean))
), moved as (
  update carillon.recipients known
  set row = case when @whole then m.row else known.row end,
    input = case when m.laid then m.input else known.input end,
    variables = case when m.laid then m.variables else known.variables end,
    name = case when m.laid then m.name else known.name end,
    agent = case when m.laid then m.agent else known.agent end,
    place = case when m.laid then m.place else known.place end,
    several = case when m.laid then m.several else known.several end,
    state = case when not carillon.comes_back(known.state, known.reason, known.outcome, m.laid) then known.state
      when m.barred and not m.several then 'skipped' else 'waiting' end,
    reason = case when not carillon.comes_back(known.state, known.reason, known.outcome, m.laid) then known.reason
      when m.barred and not m.several then 'suppressed' end,
    updated_at = now(), erased_at = case when m.laid then null else known.erased_at end
  from met m where known.id = m.id
), added as (
  insert into carillon.recipients (campaign_id, row, phone, ref, name, agent, place, input, variables, several, state, reason)
  select @campaignId, s.row, s.phone, s.ref, s.name, s.agent, s.place, s.input, s.variables, s.several,
    case when x.phone is null or s.several then 'waiting' else 'skipped' end,
    case when x.phone is null or s.several then null else 'suppressed' end
  from stage s
  left join lateral (select b.phone from carillon.barring(s.phone, @campaignId) b limit 1) x on true
  where s.never is null and not exists (
    select from carillon.recipients k where k.campaign_id = @campaignId and k.phone = s.phone and k.ref = s.ref)
    -- A call that ends meanwhile turns the person to another number.
    and (not (select exists (select from carillon.phones p where p.campaign_id = @campaignId)) or not exists (
      select from (select carillon.known_as(@campaignId, s.phone) as phone offset 0) n
      join carillon.recipients k on k.phone = n.phone and k.campaign_id is not distinct from @campaignId
        and k.ref = s.ref))
  order by s.row
  -- A person may have got this number a moment ago: that is the one of the list.
  on conflict (campaign_id, phone, ref) do nothing
  returning id, state, place
), told as (
  insert into carillon.outbox (type, campaign_id, recipients)
  select 'recipient.skipped', @campaignId, array_agg(m.id order by m.id)
  from (select x.id, row_number() over (order by x.id) / 1000 as part from added x where x.state = 'skipped') m
  group by m.part order by m.part
), waits as (
  insert into carillon.waiting_deltas (campaign_id, place, due, attempts, held, n)
  select @campaignId, m.place, '-infinity', 0, '', count(*) from added m where m.state = 'waiting' group by m.place
), tallied as (
  insert into carillon.tally_deltas (campaign_id, name, n)
  select @campaignId, m.state, count(*) from added m group by m.state
)
select count(*)::integer as added from added

-- name: import_never
-- People whom the order never lets through: those already on the list are skipped with the reason; for others the row
-- is rejected. Returns how many were on the list.
with known as (
  select r.id, s.row, s.never from stage s
  join carillon.recipients r on r.campaign_id = @campaignId and r.phone = s.phone and r.ref = s.ref
  where s.never is not null
), locked as (
  select r.id, a.id as attempt from carillon.recipients r
  left join carillon.attempts a on a.recipient_id = r.id
  where r.id in (select k.id from known k) and carillon.may_skip(r.state, a.state)
  for update of r
), dropped as (
  select e.recipient_id from carillon.end_attempts(
    array(select h.attempt from locked h where h.attempt is not null), '{planned,parked}', 'dropped', 'never', null) e
), skipped as (
  update carillon.recipients r
  set state = carillon.end_state(r.outcome), reason = k.never, row = k.row, updated_at = now()
  from locked h join known k on k.id = h.id
  where r.id = h.id and (h.attempt is null or r.id in (select d.recipient_id from dropped d))
), refused as (
  insert into carillon.rejects (campaign_id, row, reason, input)
  select @campaignId, s.row, s.never, s.input from stage s
  where s.never is not null and not exists (
    select from (select carillon.known_as(@campaignId, s.phone) as phone offset 0) n
    join carillon.recipients r on r.phone = n.phone and r.campaign_id is not distinct from @campaignId
      and r.ref = s.ref)
  order by s.row
)
select count(*)::integer as known from known

-- name: import_gone
-- Undialled people who are no longer in the file.
with gone as (
  select r.id, a.id as attempt from carillon.recipients r
  left join carillon.attempts a on a.recipient_id = r.id
  where r.campaign_id = @campaignId and r.attempts = 0 and carillon.may_skip(r.state, a.state)
    and not exists (select from stage s where s.phone = r.phone and s.ref = r.ref)
  for update of r
), dropped as (
  select e.recipient_id from carillon.end_attempts(
    array(select g.attempt from gone g where g.attempt is not null), '{planned,parked}', 'dropped', 'gone', null) e
)
update carillon.recipients r set state = 'skipped', reason = 'not in the file any more', updated_at = now()
from gone g where r.id = g.id and (g.attempt is null or r.id in (select d.recipient_id from dropped d))

-- name: import_rejects
-- The rejects of an import that adds to a list. One that was known before stays one: it keeps its place and takes the
-- latest reason. A row that is accepted now is not a reject any more. Equal rows of one import are told apart by their
-- order. Answers how many rejects there are more than before.
-- @lastRow: the list's last row before: people behind it are new
with taken as (
  select p.input from stage p
  union all
  select r.input from carillon.recipients r where r.campaign_id = @campaignId and r.row > @lastRow::integer
), sent as (
  select s.row, s.reason, s.input, row_number() over (partition by s.input order by s.row) as nth
  from stage_rejects s
), sums as (
  select s.input, count(*) as n from stage_rejects s group by s.input
), known as (
  select j.id, j.input, row_number() over (partition by j.input order by j.row, j.id) as nth
  from carillon.rejects j
  where j.campaign_id = @campaignId
    and j.input in (select s.input from stage_rejects s union all select t.input from taken t)
), told as (
  update carillon.rejects j set reason = s.reason
  from known k join sent s on s.input = k.input and s.nth = k.nth
  where j.id = k.id and j.reason <> s.reason
), added as (
  insert into carillon.rejects (campaign_id, row, reason, input)
  select @campaignId, s.row, s.reason, s.input
  from sent s left join known k on k.input = s.input and k.nth = s.nth
  where k.id is null order by s.row
  returning id
), gone as (
  delete from carillon.rejects j
  using known k left join sums n on n.input = k.input
  where j.id = k.id and k.nth > coalesce(n.n, 0) and k.input in (select t.input from taken t)
  returning j.id
)
select (select count(*)::integer from added) - (select count(*)::integer from gone) as more

-- name: import_repaired
-- The rejects that came back and are no longer what they were: each is a person now, or another reject. One that came
-- back as it was keeps its place. Returns how many are gone.
with gone as (
  delete from carillon.rejects j using repairs r
  where j.campaign_id = @campaignId and j.row = r.line and j.reason = r.reason
    and not exists (select from stage_rejects s where s.input = j.input)
  returning j.id
)
select count(*)::integer as gone from gone
