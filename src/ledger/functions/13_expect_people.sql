-- The people of a campaign as an import finds them once a run's order is in place: people who had as many attempts as it
-- allows are done, and people who were done may wait again. This looks at what campaigns/change.sql and
-- campaigns/reopenable.sql do, and changes nothing; a test holds them together. `spends`: the order allows fewer attempts
-- than before; `reopens`: it allows more. `refused`: the row of a person whom the service refused.
create function carillon.expected_people(
  of_campaign uuid, spends boolean, reopens boolean, most integer, retried text[]
) returns table (
  phone text, ref text, state text, outcome text, reason text, uncalled boolean, comes_back boolean, refused jsonb
) language sql stable as $$
  select r.phone, r.ref,
    case
      when spends and r.state = 'waiting' and r.outcome is not null and r.attempts >= greatest(most, r.granted) then 'done'
      when reopens and r.state = 'done' and r.reason is null and r.erased_at is null and r.outcome = any (retried)
        and r.attempts < greatest(most, r.granted)
        and not exists (select from carillon.barring(r.phone, of_campaign)) then 'waiting'
      when a.id is null then r.state
      else carillon.seen_as(a.state) end,
    r.outcome, r.reason, r.attempts = 0, carillon.comes_back(r.state, r.reason, r.outcome, false),
    case when r.state = 'rejected' then r.input end
  from carillon.recipients r
  left join carillon.attempts a on a.recipient_id = r.id
  where r.campaign_id = of_campaign $$;
