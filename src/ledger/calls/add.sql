-- People to call, each added to its campaign of single calls: one transaction for many requests that came together. One is
-- not added when its campaign does not dial, its phone is suppressed, or the same request was here before: of two at once,
-- the second one waits for the first. A rule that holds the phone holds the row from the start, so that the answer says so.
-- $1 [{campaign, phone, name, place, variables, override, ordered_by (whatever the contact rules say), change (for the
-- activity), request (its reference, if any), asked (a digest of what it asks for)}], in whose order the answers are
with wanted as materialized (
  select e.nth, w.* from jsonb_array_elements($1::jsonb) with ordinality as e(call, nth)
  cross join lateral jsonb_to_record(e.call) as w(campaign uuid, phone text, name text, place text, variables jsonb,
    override jsonb, ordered_by text, change jsonb, request text, asked text)
), campaign as materialized (
  select c.id, c.state, c.ignores_policy from carillon.campaigns c
  where c.id = any (array(select w.campaign from wanted w)) order by c.id for share
), found as materialized (
  -- A limit keeps each of these a look by its key.
  select w.nth, w.campaign, w.phone, c.state, b.yes is not null as barred, l.yes is not null as live, c.ignores_policy
  from wanted w
  left join campaign c on c.id = w.campaign
  left join lateral (select true as yes from carillon.barring(w.phone, w.campaign) limit 1) b on true
  left join lateral (select true as yes from carillon.live_phones x where x.phone = w.phone limit 1) l on true
), judged as (
  select array_agg(f.nth) as nths, array_agg(f.phone) as phones from found f where not f.ignores_policy and not f.live
), hold as materialized (
  select j.nths[h.nth] as nth, p.version, h.rule, h.until
  from (select * from carillon.policies x order by x.version desc limit 1) p
  join judged j on j.phones is not null
  cross join lateral carillon.judge_phones(j.phones, null, clock_timestamp(), p.caps, p.gap, p.conversation) h
), person as materialized (
  select f.nth, nextval('carillon.recipients_id_seq') as id from found f where f.state = 'running' and not f.barred
), repeat as (
  insert into carillon.repeats (ref, asked, made)
  select w.request, w.asked, jsonb_build_object('call', p.id)
  from person p join wanted w on w.nth = p.nth where w.request is not null order by w.request
  on conflict (ref) do nothing
  returning (made ->> 'call')::bigint as id
), made as (
  insert into carillon.recipients (id, campaign_id, row, phone, ref, name, place, input, variables, override, held, held_under,
    next_at)
  overriding system value
  select p.id, w.campaign, m.row + row_number() over (partition by w.campaign order by p.nth), w.phone,
    gen_random_uuid()::text, w.name, w.place, w.variables, w.variables, w.override, h.rule, h.version,
    coalesce(h.until, '-infinity')
  from person p
  join wanted w on w.nth = p.nth
  join (
    select c.id, x.row from campaign c cross join lateral (
      select coalesce(max(r.row), 0) as row from carillon.recipients r where r.campaign_id = c.id offset 0
    ) x
  ) m on m.id = w.campaign
  left join hold h on h.nth = p.nth
  where w.request is null or p.id in (select r.id from repeat r)
  returning id, campaign_id, place, next_at, held
), noted as (
  insert into carillon.history (recipient_id, kind, detail)
  select m.id, 'policy-ignored', w.ordered_by
  from made m join person p on p.id = m.id join wanted w on w.nth = p.nth where w.ordered_by is not null
), recorded as (
  insert into carillon.activity (who, token_id, role, address, verb, subject, campaign_id, before, after)
  select c.who, c.token_id, c.role, c.address, c.verb, m.id::text, m.campaign_id, c.before, c.after
  from made m join person p on p.id = m.id join wanted w on w.nth = p.nth
  cross join jsonb_populate_record(null::carillon.activity, w.change) c
), counted as (
  insert into carillon.tally_deltas (campaign_id, name, n)
  select m.campaign_id, 'waiting', count(*) from made m group by m.campaign_id
), placed as (
  insert into carillon.campaign_places (campaign_id, place)
  select distinct m.campaign_id, m.place from made m order by 1, 2
  on conflict do nothing
), waits as (
  insert into carillon.waiting_deltas (campaign_id, place, due, attempts, held, n)
  select m.campaign_id, m.place, carillon.due_step(m.next_at), 0, coalesce(m.held, ''), count(*) from made m group by 1, 2, 3, 4, 5
)
select f.state as campaign, f.barred as suppressed, m.id
from found f left join person p on p.nth = f.nth left join made m on m.id = p.id
order by f.nth
