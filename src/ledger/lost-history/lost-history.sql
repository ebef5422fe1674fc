-- name: attest
-- Compares the ledger with what this process knows of it: see carillon.attest.
-- @lastSeen: what the process last saw; @intents: the intents acknowledged since; @vouches: whether a process that has
-- seen nothing may vouch; @beats: whether to add a beat; @claim: why its history is lost, where that is known
select verdict, news, ledger, epoch, beat, era, why, lost_at as "lostAt", known_until as "knownUntil",
  "timelineBefore", timeline
from carillon.attest(@lastSeen::jsonb, @intents::jsonb, @vouches, @beats, @claim)

-- name: look
-- Whether its history is whole, as far as processes know; until when it is, or would be, there; and which ledger it is.
select l.ledger, l.lost_why as why, l.lost_at as "lostAt", coalesce(l.known_until, l.beat_at) as "knownUntil",
  carillon.system_now() is not null as "knowsSystem"
from carillon.witnessed l

-- name: confirm
-- A person confirmed what is left of the history: people may be called again. Null when nothing was lost.
select carillon.confirm_history() as why

-- name: since
-- Campaigns that may have called people since a time: all that are not over, because a paused one may have been started
-- in the lost history. @time: since when
select c.id, c.name from carillon.campaigns c
where c.state in ('draft', 'running', 'paused') and c.deleted_at is null
  and (c.ends_at is null or c.ends_at::timestamptz > @time::timestamptz)
order by c.created_at, c.id

-- name: to_lose
-- How many people would become unknown if history is missing since a time: everyone whom the campaigns of
-- lost-history/since would call, by their tallies, and who is on a call with attempts left. @time: since when
select c.id, c.name, (coalesce((s.tally ->> 'waiting')::numeric, 0) + coalesce((s.tally ->> 'parked')::numeric, 0)
  + coalesce((s.live ->> 'planned')::numeric, 0) + coalesce((s.live ->> 'parked')::numeric, 0)
  + (select count(*) from carillon.attempts a join carillon.recipients r on r.id = a.recipient_id
    where a.campaign_id = c.id and a.call_id is not null and a.followed_by ->> 'at' is null
      and r.attempts + 1 < carillon.most_tries(c.max_attempts, r)))::integer as people
from carillon.campaigns c join carillon.standings s on s.id = c.id
where c.state in ('draft', 'running', 'paused') and c.deleted_at is null
  and (c.ends_at is null or c.ends_at::timestamptz > @time::timestamptz)
order by c.created_at, c.id

-- name: lose_noted
-- Makes people unknown for whom a process noted a create: see carillon.lose_noted.
-- @part: the notes; @keepsPhoneMs: how long each keeps its phone, in ms
select n.campaign as id, c.name, n.marked, n.held from carillon.lose_noted(@part::jsonb, @keepsPhoneMs) n
left join carillon.campaigns c on c.id = n.campaign

-- name: lose_waiting
-- Makes everyone unknown whom a campaign would call, at most this many: see carillon.lose_waiting.
-- @batch: how many; @keepsPhoneMs: how long each keeps its phone, in ms
select carillon.lose_waiting(@campaignId, @batch, @keepsPhoneMs) as marked
