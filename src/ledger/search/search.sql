-- name: matching
-- The people who fit a filter, in order: see carillon.matching. @people: recipients
select m.id from carillon.matching(@people::bigint[], @filter::jsonb) m

-- name: results
-- The results of these people, in order, without what was said, and with what their campaigns say about waiting.
-- @ids: recipients
select r.*, c.id as "campaignId", c.name as campaign, c.state as "campaignState", c.driver, c.times,
  carillon.run_lives(c.run_seen_at) as "runLives"
from carillon.results_of(@ids) r
cross join lateral (select k.* from carillon.campaigns k where k.id = r.campaign_id offset 0) c
order by array_position(@ids, r.id)

-- name: tries
-- The attempts of these people without what was said in them, those of one person in order. @ids: recipients
select t."ofRecipient", t.id, t.number, t.state, t.outcome, t.agent, t.key, t.caller, t."callId", t.provider_call_sid,
  t."plannedAt", t."dialedAt", t."endedAt", t.cost
from carillon.tries_of_people(@ids) t

-- name: by_call
-- The people of an attempt or of a call of the service, newest first.
-- @call (null: by the attempt); @id: before this recipient
select p.id from carillon.people_of_call(@call, @attemptId::uuid) as p(id) where p.id < @id::bigint order by p.id desc
  limit @most

-- name: by_id
-- The recipients with these ids, newest first. @people: recipients; @id: before this one
select r.id from (select distinct p.id from unnest(@people::bigint[]) p(id)) p
cross join lateral (select x.id from carillon.recipients x where x.id = p.id offset 0) r
where r.id < @id::bigint order by r.id desc limit @most

-- name: by_phone
-- Everyone with one of these phones, newest first. @id: before this recipient
select p.id from carillon.people_by_phone(@phones, @id, @most) as p(id)

-- name: by_parts
-- People by parts of their phones and names, who was called last first: see carillon.people_by_parts.
-- @campaign (null: all); @at: called before this time, in microseconds; @id: this recipient
select p.id, p.at from carillon.people_by_parts(@parts, @campaign::uuid, @at, @id, @most) p

-- name: has_parts
-- Whether parts can be looked up: the database may not allow the extension that the index needs.
select exists (select from pg_index i where i.indexrelid = to_regclass('carillon.people_words_parts') and i.indisvalid) as yes

-- name: fill_words
-- Takes in people whose words are not indexed yet.
select carillon.fill_words(@most) as more

-- name: in_progress
-- The people with a live attempt, newest first; there are few live attempts.
-- @states: states as people see them; @id: before this recipient
select a.recipient_id as id from carillon.attempts a
where carillon.seen_as(a.state) = any (@states::text[]) and a.recipient_id < @id::bigint
order by a.recipient_id desc limit @most

-- name: in_progress_of
-- The people of a campaign with a live attempt, in input order.
-- @states: states as people see them; @at, @id: after this row and recipient
select r.id, r.row as at from carillon.attempts a
cross join lateral (select x.id, x.row from carillon.recipients x where x.id = a.recipient_id offset 0) r
where a.campaign_id = @campaignId and carillon.seen_as(a.state) = any (@states::text[])
  and (r.row, r.id) > (@at::integer, @id::bigint)
order by r.row, r.id limit @most

-- name: of_campaign
-- The people of a campaign in input order. @at, @id: after this row and recipient
select p.id, p.at from carillon.people_of_campaign(@campaignId, @at, @id, @most) p

-- name: moved
-- The people who moved in a span of time, latest first.
-- @at: before this time, in microseconds; @id: this recipient; @since (null: ever)
select p.id, p.at from carillon.people_moved(@at, @id, @since, @most) p

-- name: next
-- The people who come next, over all campaigns that run.
-- @openPlaces: {campaign: its open places}; @ofEach: how many of each campaign
select p.id from carillon.people_next(@baseUrl, @openPlaces::jsonb, @ofEach, @most) as p(id)
