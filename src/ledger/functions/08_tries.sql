-- How many people a campaign may still call for the first time before it pauses; null when it calls all of them. A plan
-- that is given back before its call does not count.
create function carillon.first_left(of_campaign uuid) returns integer language sql stable
set enable_seqscan = off
as $$
  select greatest(0, c.first_people - (select count(*)::integer from carillon.recipients r
    where r.campaign_id = c.id and r.is_first and (r.attempts > 0 or r.state not in ('waiting', 'skipped'))))
  from carillon.campaigns c where c.id = of_campaign and c.first_people > c.first_met
$$;

-- How many of the first people have been called, and are not on their first call any more.
create function carillon.first_called(of_campaign uuid) returns bigint language sql stable
set enable_seqscan = off
as $$
  select count(*) from carillon.recipients r
  where r.campaign_id = of_campaign and r.is_first and (r.attempts > 0 or r.state in ('done', 'rejected')
    or exists (select from carillon.attempts a where a.recipient_id = r.id and a.state = 'unknown'))
$$;

-- A person's attempts that had an outcome, in their order, with the time at which each was made: [{outcome, at}]. It is a
-- function with a setting: a plan made while the table was small must not scan it when it has grown.
create function carillon.tries_of(recipient bigint) returns jsonb language plpgsql stable
set enable_seqscan = off
as $$
begin
  return (select coalesce(jsonb_agg(jsonb_build_object(
      'outcome', e.outcome, 'at', round(extract(epoch from coalesce(e.dialing_at, e.planned_at)) * 1000)) order by e.number), '[]')
    from carillon.ended_attempts e where e.recipient_id = recipient and e.outcome is not null);
end $$;
