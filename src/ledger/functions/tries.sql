-- How many people a campaign may still call for the first time before it pauses; null when it calls all of them. A plan
-- that is given back before its call does not count.
create function carillon.first_left(of_campaign uuid) returns integer language sql stable
set enable_seqscan = off
as $$
  select greatest(0, c.first_people - (select count(*)::integer from carillon.recipients r
    where r.campaign_id = c.id and r.is_first and (r.attempts > 0 or r.state not in ('waiting', 'skipped'))))
  from carillon.campaigns c where c.id = of_campaign and c.first_people > c.first_met
$$;

-- How many of the first people have been called, and are past their first call.
create function carillon.first_called(of_campaign uuid) returns bigint language sql stable
set enable_seqscan = off
as $$
  select count(*) from carillon.recipients r
  where r.campaign_id = of_campaign and r.is_first and (r.attempts > 0 or r.state in ('done', 'rejected')
    or exists (select from carillon.attempts a where a.recipient_id = r.id and a.state = 'unknown'))
$$;

-- A person's attempts that had an outcome, in order, with the time of each: [{id, outcome, at}]. It is a function because
-- of its setting: a plan made while the table was small must not scan it when it has grown.
create function carillon.tries_of(recipient bigint) returns jsonb language plpgsql stable
set enable_seqscan = off
as $$
begin
  return (select coalesce(jsonb_agg(jsonb_build_object(
      'id', e.id, 'outcome', e.outcome, 'at', round(extract(epoch from coalesce(e.dialing_at, e.planned_at)) * 1000)) order by e.number), '[]')
    from carillon.ended_attempts e where e.recipient_id = recipient and e.outcome is not null);
end $$;

-- People who are done wait again, and at least one more attempt is allowed for each. With waiting_too, people who wait
-- for another attempt have it now, unless a contact rule holds them, or they asked for the time. Left out are people who
-- are suppressed, removed from the list or erased, and those of a canceled campaign, whose row the caller holds. Returns
-- the people who now wait.
create function carillon.try_again(people bigint[], waiting_too boolean)
returns table (id bigint, campaign_id uuid) language sql as $$
  update carillon.recipients r
  set state = 'waiting', reason = null, held = null, held_under = null, retry_at = null, next_at = now(),
    granted = case when r.state = 'done' then greatest(r.granted, r.attempts + 1 - r.callbacks) else r.granted end,
    callback_at = null, updated_at = now()
  where r.id = any (people) and r.outcome is not null and r.erased_at is null and ((r.state = 'done' and r.reason is distinct from 'removed')
      or (waiting_too and r.state = 'waiting' and r.held is null and r.callback_at is null and r.next_at > now()))
    and (r.several or not exists (select from carillon.barring(r.phone, r.campaign_id)))
    and exists (select from carillon.campaigns c where c.id = r.campaign_id and c.state <> 'canceled')
  returning r.id, r.campaign_id
$$;
