-- A single call: the person is added and planned in one statement, so that no planner comes in between and the
-- caller knows which attempt is theirs. $1 campaign of the kind 'calls', $2 lane, $3 phone, $4 ref, $5 name,
-- $6 variables, $7 override (null: none), $8 place, $9 who ordered it whatever the contact rules say (null:
-- nobody), $10 the change for the activity
with person as (
  insert into carillon.recipients (campaign_id, row, phone, ref, name, place, input, variables, override, state)
  select c.id,
    (select coalesce(max(x.row), 0) + 1 from carillon.recipients x where x.campaign_id = c.id),
    $3, $4, $5, $8, $6, $6, $7::jsonb, 'live'
  from carillon.campaigns c
  where c.id = $1 and c.state = 'running'
    and not exists (select from carillon.barring($3, c.id))
  on conflict (campaign_id, phone, ref) do nothing
  returning id, campaign_id
), counted as (
  insert into carillon.tally_deltas (campaign_id, name, n) select p.campaign_id, 'live', 1 from person p
), noted as (
  insert into carillon.history (recipient_id, kind, detail)
  select p.id, 'policy-ignored', $9::text from person p where $9 is not null
), recorded as (
  insert into carillon.activity (who, token_id, role, address, verb, subject, campaign_id, before, after)
  select c.who, c.token_id, c.role, c.address, c.verb, p.id::text, p.campaign_id, c.before, c.after
  from person p cross join jsonb_populate_record(null::carillon.activity, $10::jsonb) c
)
insert into carillon.attempts (id, campaign_id, recipient_id, lane_id, phone, number, caller)
select carillon.new_id(), c.id, p.id, $2, $3, 1, carillon.caller_of(c.terms, 0)
from person p join carillon.campaigns c on c.id = $1
returning id
