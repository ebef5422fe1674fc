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
