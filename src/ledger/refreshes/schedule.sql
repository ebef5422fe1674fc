-- A page of a campaign's people: their ended calls whose records lack something are asked for again. Answers how many
-- calls, and the page's last row and id.
-- $1 campaign, $2 what a complete record holds, by outcome, $3 tries that count as made, $4 $5 after this row and id,
-- $6 how many people
with people as (
  select r.id, r.row, r.erased_at from carillon.recipients r
  where r.campaign_id = $1 and (r.row, r.id) > ($4::integer, $5::bigint)
  order by r.row, r.id limit $6
), lacking as (
  select e.id, e.lane_id, f.fields
  from people p
  join lateral (
    select x.id, x.lane_id, x.outcome, x.cost, x.transcript is null as no_transcript, x.recording_url, x.structured_data
    from carillon.ended_attempts x
    where x.recipient_id = p.id and p.erased_at is null and x.state = 'done' and x.call_id is not null offset 0
  ) e on true
  cross join lateral (
    select array_agg(w.field) as fields
    from jsonb_array_elements_text($2::jsonb -> e.outcome) as w(field)
    where case w.field when 'cost' then e.cost is null when 'transcript' then e.no_transcript
      when 'recording' then e.recording_url is null when 'structured_data' then e.structured_data is null end
  ) f
  where f.fields is not null
), made as (
  insert into carillon.refreshes as r (attempt_id, lane_id, due_at, tries, fields)
  select l.id, l.lane_id, now(), $3::smallint, l.fields from lacking l order by l.id
  on conflict (attempt_id) do update set due_at = excluded.due_at, fields = excluded.fields
  returning r.attempt_id
)
select (select count(*)::integer from made) as scheduled, p.row, p.id from people p order by p.row desc, p.id desc limit 1
