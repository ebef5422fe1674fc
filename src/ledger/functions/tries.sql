-- How many of the people whom a campaign calls before it pauses have been called, or have a first attempt in one of these
-- states.
create function carillon.firsts_in(of_campaign uuid, states text[]) returns integer language sql stable
set enable_seqscan = off
as $$
  select count(*)::integer from carillon.recipients r
  where r.campaign_id = of_campaign and r.is_first and (r.attempts > 0 or r.state in ('done', 'rejected')
    or exists (select from carillon.attempts a where a.recipient_id = r.id and a.state = any (states)))
$$;

-- How many people a campaign may still plan before it pauses; null when it calls all of them. A plan that is given back
-- before its call does not count.
create function carillon.first_left(of_campaign uuid) returns integer language sql stable as $$
  select greatest(0, c.first_people
    - carillon.firsts_in(c.id, '{planned,parked,dialing,placed,unknown}'))
  from carillon.campaigns c where c.id = of_campaign and c.first_people > c.first_met
$$;

-- Judges --first in the fence, whatever order planned them: of these attempts of a locked campaign, those of people who
-- were never called open only as long as they are among the first.
create function carillon.judge_firsts(judged carillon.wanted[], campaign carillon.campaigns)
returns carillon.wanted[] language plpgsql as $$
declare
  places integer := campaign.first_people - carillon.firsts_in(campaign.id, '{dialing,placed,unknown}');
  person bigint;
begin
  for i in 1..cardinality(judged) loop
    continue when judged[i].verdict <> 'open';
    select r.id into person from carillon.attempts a join carillon.recipients r on r.id = a.recipient_id
    where a.id = judged[i].id and r.attempts = 0;
    continue when not found;
    if places > 0 then
      places := places - 1;
      update carillon.recipients r set is_first = true where r.id = person and not r.is_first;
    else
      judged[i].verdict := 'full';
    end if;
  end loop;
  return judged;
end $$;

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
