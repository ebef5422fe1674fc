-- An act on people who were found, with the pieces of them. An export is done at once: its rows are read when they are
-- asked for. $1 service, $2 act, $3 the filter as asked, $4 as it is read, $5 options, $6 how many people, $7 the people,
-- $8 of a piece
-- long
with made as (
  insert into carillon.bulk_acts (base_url, act, asked, filter, options, people, state, ended_at, seen, done)
  select $1::text, $2::text, $3::jsonb, $4::jsonb, $5::jsonb, $6::integer, e.state, case when e.state = 'done' then now() end,
    case when e.state = 'done' then $6::integer else 0 end, case when e.state = 'done' then $6::integer else 0 end
  from (select case when $2::text = 'export' or $6::integer = 0 then 'done' else 'running' end as state) e
  returning id, state
), pieces as (
  insert into carillon.bulk_pieces (act_id, n, people)
  select m.id, p.n, p.people from made m cross join (
    select (x.nth - 1) / $8::integer as n, array_agg(x.id order by x.nth) as people
    from unnest($7::bigint[]) with ordinality as x(id, nth) group by 1
  ) p
), told as (
  insert into carillon.outbox (type, subject) select 'bulk.done', m.id::text from made m where m.state = 'done'
)
select m.id from made m
