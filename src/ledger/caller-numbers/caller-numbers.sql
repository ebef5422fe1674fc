-- name: learn
-- Keeps what a list says of numbers. With a lane, the list is whole: its key's account has these numbers and no others.
-- A row that says the same is not written again.
-- @numbers: [{name, numberId, words, states, code}]; @lane (null: a part of a list, or numbers that an order names)
with told as (
  select distinct on (x.name) x.name, x."numberId", array(select jsonb_array_elements_text(x.words)) as words,
    array(select jsonb_array_elements_text(x.states)) as states, x.code
  from jsonb_to_recordset(@numbers::jsonb) as x(name text, "numberId" text, words jsonb, states jsonb, code text)
  order by x.name
), kept as (
  insert into carillon.caller_numbers as n (name, number_id, words, states, code)
  select t.name, t."numberId", t.words, t.states, t.code from told t order by t.name
  on conflict (name) do update set number_id = coalesce(excluded.number_id, n.number_id),
    words = case when excluded.number_id is null then n.words else excluded.words end,
    states = excluded.states, code = excluded.code
  where (n.number_id, n.words, n.states, n.code) is distinct from
    (coalesce(excluded.number_id, n.number_id), case when excluded.number_id is null then n.words else excluded.words end,
     excluded.states, excluded.code)
), gone as (
  delete from carillon.caller_keys k
  where k.lane_id = @lane::integer and not exists (select from told t where t.name = k.name)
)
insert into carillon.caller_keys (lane_id, name)
select @lane::integer, t.name from told t where @lane::integer is not null
on conflict (lane_id, name) do nothing

-- name: list
-- What is known of numbers, and their calls over all campaigns; lately: as the watch remembers them.
-- @named: names or ids
select w.named, n.rest, n.rested_at as "restedAt", n.returns_at as "returnsAt", n.sure, l.live, l.today,
  coalesce(n.calls, 0) as calls, coalesce(n.answered, 0) as answered,
  (n.watch #>> '{past,answered}')::double precision / nullif((n.watch #>> '{past,calls}')::double precision, 0) as lately,
  1 - (n.watch #>> '{past,long}')::double precision / nullif((n.watch #>> '{past,answered}')::double precision, 0) as short
from unnest(@named::text[]) as w(named)
cross join lateral carillon.known_number(w.named) n
cross join lateral carillon.caller_load(coalesce(n.name, w.named), n.number_id, clock_timestamp(), false) l

-- name: days
-- How many numbers an order may call from now, and when their calls that count against the limit were made, in steps of
-- five minutes. @callers: the order's callers; @most: the most calls of a number in 24 hours
with members as materialized (
  select distinct m.name, m.number_id
  from unnest(@lanes::integer[]) as l(id)
  cross join lateral unnest(carillon.pool_on(jsonb_populate_record(null::carillon.campaigns,
    jsonb_build_object('kind', 'list', 'terms', jsonb_build_object('callers', @callers::jsonb))), l.id, false)) m
), latest as (
  select x.at, row_number() over (partition by m.name order by x.at desc) as nth
  from members m cross join lateral carillon.caller_calls(m.name, m.number_id, now()) as x(at)
), used as (
  select date_bin('5 minutes', l.at, timestamptz 'epoch') as at, count(*) as n from latest l
  where l.nth <= @most::integer group by 1
)
select (select count(*)::integer from members) as numbers,
  coalesce(jsonb_agg(jsonb_build_object('at', extract(epoch from u.at) * 1000, 'n', u.n)), '[]') as used
from used u

-- name: rest
-- A person rests a number, or returns it: the evidence against it is forgotten, and its past stays. Returns how it was.
-- @named: name or id; @rest: hand, or null to return it
with known as (
  select coalesce(n.name, @named) as name, n.rest from carillon.known_number(@named) n
), kept as (
  insert into carillon.caller_numbers as n (name, rest, rested_at)
  select k.name, @rest, case when @rest::text is not null then now() end from known k
  on conflict (name) do update set rest = excluded.rest, rested_at = excluded.rested_at,
    returns_at = null, watch = n.watch - 'answers' - 'short'
  returning n.name
)
select k.name, k.rest as was from known k, kept

-- name: is_known
-- Whether a list or a campaign has told a number. @named: name or id
select exists (select from carillon.caller_numbers n where n.name = @named or n.number_id = @named) as known

-- name: lock_watch
-- One process at a time looks at how the calls of numbers ended.
select pg_try_advisory_xact_lock(hashtext('carillon numbers')) as mine

-- name: take
-- How calls ended since the last look, with all numbers of the campaigns that they belong to.
with fresh as materialized (
  select t.campaign_id, t.name, t.fresh_calls, t.fresh_answered, t.fresh_long from carillon.caller_tallies t
  where t.fresh_calls <> 0 order by t.campaign_id, t.name for update
), taken as (
  update carillon.caller_tallies t set fresh_calls = 0, fresh_answered = 0, fresh_long = 0
  from fresh f where t.campaign_id = f.campaign_id and t.name = f.name
)
select t.campaign_id as campaign, t.name, n.rest is not null as rests, n.watch,
  jsonb_build_object('calls', coalesce(f.fresh_calls, 0), 'answered', coalesce(f.fresh_answered, 0),
    'long', coalesce(f.fresh_long, 0)) as fresh,
  t.recent
from carillon.caller_tallies t
left join fresh f on f.campaign_id = t.campaign_id and f.name = t.name
left join carillon.caller_numbers n on n.name = t.name
where t.campaign_id in (select x.campaign_id from fresh x)

-- name: keep
-- Keeps what a look found. A number that rests meanwhile stays as it is. @tallies: [{campaign, name, recent}];
-- @numbers: [{name, calls, answered, watch, rest, sure}]; @restSeconds: for how many seconds a number rests
with tallies as (
  update carillon.caller_tallies t set recent = x.recent
  from jsonb_to_recordset(@tallies::jsonb) as x(campaign uuid, name text, recent jsonb)
  where t.campaign_id = x.campaign and t.name = x.name
)
insert into carillon.caller_numbers as n (name, calls, answered, watch, rest, rested_at, returns_at, sure)
select x.name, x.calls, x.answered, x.watch, x.rest, case when x.rest is not null then now() end,
  case when x.rest is not null then now() + make_interval(secs => @restSeconds::double precision) end, x.sure
from jsonb_to_recordset(@numbers::jsonb) as x(
  name text, calls double precision, answered double precision, watch jsonb, rest text, sure double precision)
order by x.name
on conflict (name) do update set calls = n.calls + excluded.calls, answered = n.answered + excluded.answered,
  watch = coalesce(excluded.watch, n.watch), rest = coalesce(n.rest, excluded.rest),
  rested_at = coalesce(n.rested_at, excluded.rested_at),
  returns_at = case when n.rest is null then excluded.returns_at else n.returns_at end,
  sure = case when n.rest is null and excluded.rest is not null then excluded.sure else n.sure end

-- name: return_due
-- Numbers return when their rest is over.
update carillon.caller_numbers n set rest = null, rested_at = null, returns_at = null
where n.rest is not null and n.returns_at <= now()
returning n.name

-- name: resting
-- Numbers that rest by their answers. none_awake: a running campaign at this service has no other, and calls from them.
select n.name, n.rest, n.sure, n.returns_at as "returnsAt", exists (
    select from carillon.campaigns c
    join carillon.lanes l on l.base_url = c.base_url
    join lateral (select bool_or(m.name = n.name) as has, bool_or(m.rest is null) as awake
      from carillon.pool_members(c, l.id) m) p on p.has and not p.awake
    where c.state = 'running' and c.has_callers and c.kind = 'list' and c.base_url = @baseUrl) as "noneAwake"
from carillon.caller_numbers n where n.rest in ('answers', 'short')
order by n.name
