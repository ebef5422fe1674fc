-- name: first
-- The calls to the first people of a campaign, each person's first ended call in which somebody spoke, in input order,
-- with its judgement.
-- @said: only calls with these words, folded (null: all); @spokenOutcomes: outcomes of calls in which somebody spoke
select e.id, r.id as "recipientId", r.row, carillon.shown_phone(r.phone) as phone, r.name, e.outcome, e.duration,
  e.ended_at as "endedAt", e.transcript is not null as transcript, e.recording_url is not null as recording,
  j.judgement, j.note, j.by, j.at
from carillon.recipients r
cross join lateral (
  select x.* from carillon.ended_attempts x where x.recipient_id = r.id and x.state in ('done', 'refused')
  order by x.number limit 1
) e
left join carillon.judgements j on j.attempt_id = e.id
where r.campaign_id = @campaignId and r.is_first and e.outcome = any (@spokenOutcomes::text[]) and (@said::text is null
  or strpos(carillon.folded(e.transcript), carillon.folded(@said)) > 0)
order by r.row, r.id limit @most

-- name: of
-- The judgement of a call.
select j.judgement, j.note, j.by, j.at from carillon.judgements j where j.attempt_id = @attemptId

-- name: keep
-- Keeps what a person says of an ended call; ignores any other attempt.
-- @by: who; @spokenOutcomes: outcomes of calls in which somebody spoke
insert into carillon.judgements as j (attempt_id, recipient_id, campaign_id, is_first, judgement, note, by)
select e.id, e.recipient_id, e.campaign_id, r.is_first and e.outcome = any (@spokenOutcomes::text[]) and not exists (
    select from carillon.ended_attempts x
    where x.recipient_id = e.recipient_id and x.state in ('done', 'refused') and x.number < e.number),
  @judgement, case when r.erased_at is null then @note::text end, @by
from carillon.ended_attempts e
cross join lateral (select x.is_first, x.erased_at from carillon.recipients x where x.id = e.recipient_id offset 0) r
where e.id = @attemptId and e.state in ('done', 'refused')
on conflict (attempt_id) do update set judgement = excluded.judgement, note = excluded.note, by = excluded.by, at = now()
returning j.judgement, j.note, j.by, j.at

-- name: opt_out
-- A listener heard that the person of a call wants no more calls.
select e.phone, carillon.hear_opt_outs(array[e.campaign_id], array[e.phone], '{heard}', array[e.recipient_id]) as done
from carillon.ended_attempts e where e.id = @attemptId and e.phone <> '' and not starts_with(e.phone, 'erased:')
