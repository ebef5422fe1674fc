-- name: matching
-- The people who fit a filter, in order: see carillon.matching. $1 recipients, $2 filter
select m.id from carillon.matching($1::bigint[], $2::jsonb) m

-- name: results
-- The results of these people, in order, without what was said, and with what their campaigns say about waiting. $1
-- recipients
select r.*, c.id as "campaignId", c.name as campaign, c.state as "campaignState", c.driver, c.times,
  carillon.run_lives(c.run_seen_at) as "runLives"
from carillon.results_of($1) r
cross join lateral (select k.* from carillon.campaigns k where k.id = r.campaign_id offset 0) c
order by array_position($1, r.id)

-- name: tries
-- The attempts of these people without what was said in them, those of one person in order. $1 recipients
select t."ofRecipient", t.id, t.number, t.state, t.outcome, t.agent, t.key, t.caller, t."callId", t.provider_call_sid,
  t."plannedAt", t."dialedAt", t."endedAt", t.cost
from carillon.tries_of_people($1) t

-- name: by_call
-- The people of an attempt or of a call of the service, newest first. $1 call (null: by the attempt), $2 attempt,
-- $3 before this recipient, $4 how many
select p.id from carillon.people_of_call($1, $2::uuid) as p(id) where p.id < $3::bigint order by p.id desc limit $4

-- name: by_id
-- The recipients with these ids, newest first. $1 recipients, $2 before this one, $3 how many
select r.id from (select distinct p.id from unnest($1::bigint[]) p(id)) p
cross join lateral (select x.id from carillon.recipients x where x.id = p.id offset 0) r
where r.id < $2::bigint order by r.id desc limit $3

-- name: by_phone
-- Everyone with one of these phones, newest first. $1 phones, $2 before this recipient, $3 how many
select p.id from carillon.people_by_phone($1, $2, $3) as p(id)

-- name: by_parts
-- People by parts of their phones and names, who was called last first: see carillon.people_by_parts. $1 parts, $2
-- campaign (null: all), $3 called before this time, in microseconds, $4 and this recipient, $5 how many
select p.id, p.at from carillon.people_by_parts($1, $2::uuid, $3, $4, $5) p

-- name: has_parts
-- Whether parts can be looked up: the database may not allow the extension that the index needs.
select exists (select from pg_index i where i.indexrelid = to_regclass('carillon.people_words_parts') and i.indisvalid) as yes

-- name: fill_words
-- Takes in people whose words are not indexed yet. $1 how many
select carillon.fill_words($1) as more

-- name: in_progress
-- The people with a live attempt, newest first; there are few live attempts. $1 states as people see them, $2 before
-- this recipient, $3 how many
select a.recipient_id as id from carillon.attempts a
where carillon.seen_as(a.state) = any ($1::text[]) and a.recipient_id < $2::bigint
order by a.recipient_id desc limit $3

-- name: in_progress_of
-- The people of a campaign with a live attempt, in input order. $1 campaign, $2 states as people see them, $3 $4 after
-- this row and recipient, $5 how many
select r.id, r.row as at from carillon.attempts a
cross join lateral (select x.id, x.row from carillon.recipients x where x.id = a.recipient_id offset 0) r
where a.campaign_id = $1 and carillon.seen_as(a.state) = any ($2::text[]) and (r.row, r.id) > ($3::integer, $4::bigint)
order by r.row, r.id limit $5

-- name: of_campaign
-- The people of a campaign in input order. $1 campaign, $2 $3 after this row and recipient, $4 how many
select p.id, p.at from carillon.people_of_campaign($1, $2, $3, $4) p

-- name: moved
-- The people who moved in a span of time, latest first. $1 before this time, in microseconds, $2 and this recipient, $3
-- since (null: ever), $4 how many
select p.id, p.at from carillon.people_moved($1, $2, $3, $4) p

-- name: next
-- The people who come next, over all campaigns that run. $1 service, $2 {campaign: its open places}, $3 how many of each
-- campaign, $4 how many
select p.id from carillon.people_next($1, $2::jsonb, $3, $4) as p(id)
