-- name: list
-- The unknown attempts that wait for a person, oldest first.
-- @campaignId: of any service (null: all of this one); @most: how many (null: all); @after: after this attempt (null:
-- from the first); @attempt: only this attempt, of any service (null: all)
select a.id as attempt, a.number, c.name as campaign, r.id as recipient, r.row, r.phone, r.name, a.reason, a.detail, l.name as key,
  a.agent, a.caller, a.call_id as "callId", a.status, a.dialing_at as "dialingAt",
  a.placed_at as "placedAt", carillon.free_from(a.expires_at) as "freeFrom",
  a.phone_until as "phoneUntil",
  c.terms ->> 'onUnknown' as "onUnknown", r.redials, a.looks, a.looked_at as "lookedAt",
  nullif(a.look_at, 'infinity') as "lookAt", a.looked
from carillon.attempts a
join carillon.recipients r on r.id = a.recipient_id
join carillon.campaigns c on c.id = a.campaign_id
join carillon.lanes l on l.id = a.lane_id
where a.state = 'unknown' and case when @attempt::uuid is not null then a.id = @attempt when @campaignId::uuid is null
  then c.base_url = @baseUrl
    else c.id = @campaignId end
  and (@after::uuid is null or (a.dialing_at, a.id) > (select x.dialing_at, x.id from carillon.all_attempts x
    where x.id = @after))
order by a.dialing_at, a.id limit @most

-- name: count
-- How many attempts of a service are unknown, by campaign, most first, and how many of them were placed.
select c.name as campaign, count(*)::integer as unknown,
  (count(*) filter (where carillon.took_call(a.call_id, a.reason)))::integer as placed
from carillon.attempts a
join carillon.campaigns c on c.id = a.campaign_id
where a.state = 'unknown' and c.base_url = @baseUrl
group by c.id, c.name
order by 2 desc, 1

-- name: sent
-- The create that was sent for an attempt that is not over, as far as it is kept.
select a.id, a.state, a.campaign_id as "campaignId", c.name as campaign, c.base_url as "baseUrl",
  a.lane_id as "laneId", a.phone, r.name, a.agent, a.caller, a.call_id as "callId", carillon.variables_of(r.input, r.variables) as variables,
  coalesce(r.override, nullif(c.terms -> 'override', 'null')) as override, a.requests, a.dialer, a.expires_at as "expiresAt"
from carillon.attempts a
join carillon.recipients r on r.id = a.recipient_id
join carillon.campaigns c on c.id = a.campaign_id
where a.id = @attemptId

-- name: called
-- A person says that the call was made, and its record cannot be fetched: done, without an outcome.
-- @reason: the person's reason
with moved as (
  select e.id, e.recipient_id, e.campaign_id from carillon.end_attempts(array[@attemptId::uuid], '{unknown}', 'done',
    'called', null) e
), told as (
  insert into carillon.outbox (type, campaign_id, recipients, attempts)
  select 'attempt.done', m.campaign_id, array[m.recipient_id], array[m.id] from moved m
), noted as (
  insert into carillon.history (recipient_id, attempt_id, kind, detail)
  select m.recipient_id, m.id, 'resolved', concat_ws(': ', 'called', @reason::text) from moved m
)
update carillon.recipients r
set state = 'done', attempts = r.attempts + 1, reason = 'a person says that the call was made', updated_at = now()
from moved m where r.id = m.recipient_id
returning m.id

-- name: place
-- A person names the call: it is followed like any other. A call that belongs to another attempt of the service is
-- refused: see carillon.place_attempt. @reason: the person's reason
select id, lane_id as "laneId" from carillon.place_attempt(@attemptId, @callId, @deadlineSeconds, @reason)

-- name: free
-- A person says that no call was made: the recipients may be tried again, and the attempts are not counted. Never while
-- the request may still be on its way, nor when the service gave a call id. If the service said that it made the call,
-- but not which, the person must insist. @reason: the person's reason; @force: whether the person insists
select id from carillon.free_attempts(
  array(select x.id from carillon.attempts x
    where x.id = any (@attempts::uuid[]) and x.state = 'unknown' and x.call_id is null
      and (x.reason is distinct from 'accepted' or @force::boolean)
      and carillon.free_from(x.expires_at) < clock_timestamp()
    order by x.id for update),
  '{unknown}', 'not-called', null, concat_ws(': ', 'not called', @reason::text), now()) as id

-- name: to_look
-- Claims attempts in doubt on these lanes about which the service is due to be asked: by its list of calls, or by the
-- create once more, which only those do who dial the campaign. A claim lasts a while: if its process dies, another one
-- then asks. @lists: whether the service lists its calls; @runs: the run's campaign (null: background)
with due as (
  select a.id from carillon.attempts a join carillon.campaigns c on c.id = a.campaign_id
  where a.state = 'unknown' and a.call_id is null and a.lane_id = any (@lanes::integer[])
    and (a.look_at is null or a.look_at <= clock_timestamp())
    and case when a.sent is null then @lists::boolean else c.id = @runs
      or (@runs::uuid is null and (c.driver = 'background' or not carillon.run_lives(c.run_seen_at))) end
  order by a.look_at nulls first, a.dialing_at limit @most for update of a skip locked
)
update carillon.attempts a set look_at = clock_timestamp() + make_interval(secs => @seconds)
from due d where a.id = d.id
returning a.id, a.lane_id as "laneId", a.phone, a.agent as "agentId", a.caller, a.reason, a.looks, a.dialing_at as "dialingAt",
  a.expires_at as "expiresAt", clock_timestamp() as at, a.ticket, a.sent is not null as repeatable,
  a.repeated_at is not null as repeated

-- name: looked
-- The service was asked about an attempt in doubt, and did not settle it. @looked: {calls, why}; @seconds: until it is
-- asked again (null: never); @isOver: whether its create may not be sent again; @ticket: of the request before
update carillon.attempts a set looks = a.looks + 1, looked_at = clock_timestamp(), looked = @looked::jsonb,
  look_at = coalesce(clock_timestamp() + make_interval(secs => @seconds), 'infinity'),
  sent = case when @isOver::boolean then null else a.sent end,
  repeat_until = case when @isOver then null else a.repeat_until end
where a.id = @attemptId and a.state = 'unknown' and a.ticket is not distinct from @ticket
returning a.id

-- name: unasked
-- How many attempts of a campaign are in doubt about which the service can be asked and was not, since their calls must
-- be in its list. @lagSeconds: seconds from the create until they are (null: it lists none)
select count(*)::integer as n from carillon.attempts a
where a.campaign_id = @campaignId and a.state = 'unknown' and a.call_id is null and a.look_at is distinct
  from 'infinity'
  and (a.looked_at is null or a.looked_at < a.dialing_at + make_interval(secs => @lagSeconds::double precision))
  and (@lagSeconds is not null or a.sent is not null)

-- name: repeat
-- Admits the create of an attempt in doubt once more: see carillon.repeat_attempt.
-- @dialer: who dials; @runId (null: a background worker); @laneCap: the lane's cap; @closes: when its hours close;
-- @revision: the order's revision; @policy: the version of the contact rules; @timeoutMs: how long the request may
-- take, in ms; @keepsPhoneMs: how long past its expiry the attempt keeps its phone, in ms
select verdict, create_sent as sent from carillon.repeat_attempt(@attemptId, @ticketBefore, @ticket, @dialer, @runId,
  @laneCap, @closes, @revision, @policy, @timeoutMs, @keepsPhoneMs)

-- name: look_later
-- The service could not be asked now.
-- @reason: why it is unknown, where that is known better now; @ticket: of the request before
update carillon.attempts a set look_at = clock_timestamp() + make_interval(secs => @seconds),
  reason = coalesce(@reason, a.reason)
where a.id = @attemptId and a.state = 'unknown' and a.ticket is not distinct from @ticket
