-- New people are added, known ones keep their state and take the row's new data while nothing is planned. Someone who
-- is as the row says is not touched: a list that is sent again must not be written again. Whom the service refused waits again
-- when the row has changed. Their place is the file's where
-- the file is the list; where people are added to a list, those who are there keep theirs.
-- $1 campaign, $2 whether the input is the whole list
with merged as (
  insert into carillon.recipients as known (campaign_id, row, phone, ref, name, agent, place, input, variables, state, reason)
  select $1, s.row, s.phone, s.ref, s.name, s.agent, s.place, s.input, s.variables,
    case when x.phone is null then 'waiting' else 'skipped' end,
    case when x.phone is null then null else 'suppressed' end
  from stage s left join lateral (
    select b.phone from carillon.barring(s.phone, $1) b limit 1
  ) x on true
  left join lateral (
    select true as is_same from carillon.recipients k
    where k.campaign_id = $1 and k.phone = s.phone and k.ref = s.ref and k.state <> 'skipped' and k.input = s.input
      and k.variables = s.variables and k.place = s.place and k.name is not distinct from s.name
      and k.agent is not distinct from s.agent and (k.row = s.row or not $2) offset 0
  ) k on true
  where s.never is null and k.is_same is null
  order by s.row
  on conflict (campaign_id, phone, ref) do update
  set row = case when $2 then excluded.row else known.row end, input = excluded.input, variables = excluded.variables,
    name = case when known.state in ('waiting', 'skipped', 'rejected') then excluded.name else known.name end,
    agent = case when known.state in ('waiting', 'skipped', 'rejected') then excluded.agent else known.agent end,
    place = case when known.state in ('waiting', 'skipped', 'rejected') then excluded.place else known.place end,
    state = case when carillon.comes_back(known.state, known.reason, known.outcome, known.input <> excluded.input)
      then excluded.state else known.state end,
    reason = case when carillon.comes_back(known.state, known.reason, known.outcome, known.input <> excluded.input)
      then excluded.reason else known.reason end,
    updated_at = now(), erased_at = null
  -- A row that was never updated was added here; the triggers count those that changed.
  returning id, state, place, xmax = 0 as added
), told as (
  insert into carillon.outbox (type, campaign_id, recipients)
  select 'recipient.skipped', $1, array_agg(m.id order by m.id)
  from (select x.id, row_number() over (order by x.id) / 1000 as part from merged x where x.added and x.state = 'skipped') m
  group by m.part order by m.part
), waits as (
  insert into carillon.waiting_deltas (campaign_id, place, due, attempts, held, n)
  select $1, m.place, '-infinity', 0, '', count(*) from merged m where m.added and m.state = 'waiting' group by m.place
)
insert into carillon.tally_deltas (campaign_id, name, n)
select $1, m.state, count(*) from merged m where m.added group by m.state
