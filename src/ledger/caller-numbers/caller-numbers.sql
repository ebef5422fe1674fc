-- name: learn
-- Keeps what a list says of numbers. With a lane, the list is whole: its key's account has these numbers and no others.
-- A row that says the same is not written again. $1 [{name, numberId, words, states, code}], $2 lane (null: a part of a
-- list, or numbers that an order names)
with told as (
  select distinct on (x.name) x.name, x."numberId", array(select jsonb_array_elements_text(x.words)) as words,
    array(select jsonb_array_elements_text(x.states)) as states, x.code
  from jsonb_to_recordset($1::jsonb) as x(name text, "numberId" text, words jsonb, states jsonb, code text)
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
  where k.lane_id = $2::integer and not exists (select from told t where t.name = k.name)
)
insert into carillon.caller_keys (lane_id, name)
select $2::integer, t.name from told t where $2::integer is not null
on conflict (lane_id, name) do nothing

-- name: list
-- What is known of numbers, and their calls over all campaigns. $1 names or ids
select w.named, n.rest, n.rested_at as "restedAt", n.returns_at as "returnsAt", n.sure, l.live, l.today,
  coalesce(t.calls, 0) as calls, coalesce(t.answered, 0) as answered
from unnest($1::text[]) as w(named)
cross join lateral carillon.known_number(w.named) n
cross join lateral carillon.caller_load(coalesce(n.name, w.named), n.number_id, clock_timestamp(), false) l
cross join lateral (
  select sum(s.calls) as calls, sum(s.calls) filter (where s.outcome = 'answered') as answered
  from carillon.report_sums s where s.part = 'caller' and s.value in (coalesce(n.name, w.named), n.number_id)
) t

-- name: rest
-- A person rests a number, or returns it. A number that nobody knows gets its row when it is rested. Returns how it was.
-- $1 name or id, $2 hand, or null to return it, $3 until (null: a person returns it)
with known as (
  select coalesce(n.name, $1) as name, n.rest from carillon.known_number($1) n
), kept as (
  insert into carillon.caller_numbers as n (name, rest, rested_at, returns_at)
  select k.name, $2, case when $2::text is not null then now() end, $3::timestamptz from known k
  on conflict (name) do update set rest = excluded.rest, rested_at = excluded.rested_at,
    returns_at = excluded.returns_at
  returning n.name
)
select k.name, k.rest as was from known k, kept

-- name: is_known
-- Whether a list or a campaign has told a number. $1 name or id
select exists (select from carillon.caller_numbers n where n.name = $1 or n.number_id = $1) as known
