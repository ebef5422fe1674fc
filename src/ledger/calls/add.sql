-- One person to call, added to a campaign of single calls. Nobody is added when the campaign does not dial, the phone
-- is suppressed, or the reference was used before: the index on ref decides between two at once.
-- A rule that holds the phone holds the row from the start, so that the answer says so.
-- $1 campaign, $2 phone, $3 ref, $4 name, $5 place, $6 variables, $7 override (null: none), $8 who ordered it whatever
-- the contact rules say (null: nobody), $9 the change for the activity
with campaign as (
  select c.id, c.state from carillon.campaigns c where c.id = $1 for share
), hold as (
  select p.version, j.rule, j.until
  from (select * from carillon.policies x order by x.version desc limit 1) p
  cross join lateral carillon.judge_phones(
    array[$2::text], null, clock_timestamp(), p.caps, p.gap, p.conversation) j
  where not exists (select from carillon.live_phones l where l.phone = $2)
    and not exists (select from carillon.campaigns c where c.id = $1 and c.ignores_policy)
), made as (
  insert into carillon.recipients (campaign_id, row, phone, ref, name, place, input, variables, override, held, held_under,
    next_at)
  select c.id, 1 + coalesce((select max(r.row) from carillon.recipients r where r.campaign_id = c.id), 0),
    $2, $3, $4, $5, $6, $6, $7::jsonb, h.rule, h.version, coalesce(h.until, '-infinity')
  from campaign c left join hold h on true
  where c.state = 'running' and not exists (select from carillon.barring($2, c.id))
  on conflict (ref) where ref <> '' do nothing
  returning id, campaign_id, place, next_at, held
), noted as (
  insert into carillon.history (recipient_id, kind, detail)
  select m.id, 'policy-ignored', $8::text from made m where $8 is not null
), recorded as (
  insert into carillon.activity (who, token_id, role, address, verb, subject, campaign_id, before, after)
  select c.who, c.token_id, c.role, c.address, c.verb, m.id::text, m.campaign_id, c.before, c.after
  from made m cross join jsonb_populate_record(null::carillon.activity, $9::jsonb) c
), counted as (
  insert into carillon.tally_deltas (campaign_id, name, n) select m.campaign_id, 'waiting', 1 from made m
), placed as (
  insert into carillon.campaign_places (campaign_id, place) select m.campaign_id, m.place from made m
  on conflict do nothing
), waits as (
  insert into carillon.waiting_deltas (campaign_id, place, due, attempts, held, n)
  select m.campaign_id, m.place, carillon.due_step(m.next_at), 0, coalesce(m.held, ''), 1 from made m
)
select c.state as campaign, exists (select from carillon.barring($2, c.id)) as suppressed,
  (select m.id from made m) as id
from campaign c
