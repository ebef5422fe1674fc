-- Up Migration
-- Until when an attempt's request may be answered, by the ledger's clock and the timeout of the process that opened it.
-- Processes with other timeouts judge the attempt by this only.
alter table carillon.attempts add column expires_at timestamptz;
-- No timeout may be longer than ten minutes.
update carillon.attempts set expires_at = dialing_at + interval '11 minutes' where state in ('dialing', 'unknown');
alter table carillon.attempts add check (state not in ('dialing', 'unknown') or expires_at is not null);

-- When an attempt that nobody answered for may be tried again: past its expiry, the kernel of a process that was killed
-- goes on delivering what it had sent for about two minutes.
create function carillon.free_from(expires_at timestamptz) returns timestamptz language sql stable as
$$ select expires_at + interval '3 minutes' $$;

drop function carillon.open_attempts(jsonb, text, uuid, integer);

-- Admits attempts and claims them in one transaction: what it answers 'open' for is committed as dialing
-- before a request leaves. A function, because a cap must be counted after the campaign's row was locked,
-- and a single statement would still count what it saw before it waited for that lock.
create function carillon.open_attempts(want jsonb, by_dialer text, by_run uuid, lane_cap integer, timeout_ms integer)
returns table (attempt uuid, verdict text) language plpgsql as $$
declare
  entry record;
  campaign carillon.campaigns%rowtype;
  room integer;
  -- The request leaves within two seconds, and is given up after its timeout; the rest is for a process that is slow.
  opening constant interval := '15 seconds';
begin
  -- For this transaction: neither the server's setting nor a pooler's may let an acknowledged intent be lost. Not a
  -- clause of the function, which would be undone before the commit.
  perform set_config('synchronous_commit', 'on', true);
  if lane_cap is not null then
    perform 1 from carillon.lanes l
    where l.id in (select a.lane_id from jsonb_to_recordset(want) as w(id uuid)
                   join carillon.attempts a on a.id = w.id)
    order by l.id for no key update;
  end if;
  for entry in
    select a.campaign_id, array_agg(a.id order by a.planned_at, a.id) as ids,
      bool_or(c.max_calls is not null or not c.proved) as narrow
    from jsonb_to_recordset(want) as w(id uuid)
    join lateral (select x.id, x.campaign_id, x.planned_at from carillon.attempts x where x.id = w.id offset 0) a
      on a.id = w.id
    join carillon.campaigns c on c.id = a.campaign_id
    group by a.campaign_id order by a.campaign_id
  loop
    -- A share lock orders this admission against a pause or a cancel; a count needs the row for itself.
    if entry.narrow then
      select * into campaign from carillon.campaigns c where c.id = entry.campaign_id for no key update;
    else
      select * into campaign from carillon.campaigns c where c.id = entry.campaign_id for share;
    end if;
    room := null;
    if campaign.max_calls is not null then
      room := campaign.max_calls - (select count(*) from carillon.attempts a
        where a.campaign_id = campaign.id and a.state in ('dialing', 'placed'));
    end if;
    if not campaign.proved then
      room := least(room, 1 - (select count(*)::integer from carillon.attempts a
        where a.campaign_id = campaign.id and a.state = 'dialing'));
    end if;
    if lane_cap is not null then
      room := least(room, lane_cap - (select count(*)::integer from carillon.attempts a
        where a.lane_id = (select x.lane_id from carillon.attempts x where x.id = entry.ids[1])
          and a.state in ('dialing', 'placed')));
    end if;
    return query
    with judged as (
      select a.id, a.opens, w.ticket, case
        when a.state <> 'planned' or a.opens <> coalesce(w.opens, a.opens) then 'moved'
        when campaign.state = 'canceled' then 'canceled'
        when campaign.state <> 'running' then 'paused'
        when campaign.driver = 'run' and campaign.run_id is distinct from by_run then 'elsewhere'
        when campaign.driver = 'background' and by_run is not null then 'elsewhere'
        when campaign.revision <> w.revision then 'changed'
        when a.lane_state <> 'open' and a.probe_attempt is distinct from a.id then 'closed'
        when exists (select from carillon.suppressions s where s.phone = a.phone) then 'suppressed'
        else 'open' end as say
      from jsonb_to_recordset(want) as w(id uuid, revision integer, opens integer, ticket uuid)
      -- One by one by its key: no plan that was made while the tables were small may read them through.
      join lateral (
        select x.id, x.state, x.opens, x.campaign_id, r.phone, l.state as lane_state, l.probe_attempt
        from carillon.attempts x
        join carillon.recipients r on r.id = x.recipient_id
        join carillon.lanes l on l.id = x.lane_id
        where x.id = w.id offset 0
      ) a on a.id = w.id
      where a.campaign_id = campaign.id
    ), ranked as (
      select j.*, row_number() over (partition by j.say order by array_position(entry.ids, j.id)) as place
      from judged j
    ), opened as (
      update carillon.attempts a
      set state = 'dialing', dialing_at = clock_timestamp(), dialer = by_dialer, ticket = k.ticket,
        expires_at = clock_timestamp() + make_interval(secs => timeout_ms / 1000.0) + opening,
        requests = a.requests + 1, opens = a.opens + 1
      from ranked k
      where a.id = k.id and a.state = 'planned' and a.opens = k.opens and k.say = 'open' and (room is null or k.place <= room)
      returning a.id, a.recipient_id
    ), people as (
      update carillon.recipients r set state = 'calling', updated_at = now()
      from opened o where r.id = o.recipient_id
    )
    select k.id, case
      when k.id in (select o.id from opened o) then 'open'
      when k.say = 'open' and room is not null and k.place > room then 'full'
      when k.say = 'open' then 'moved'
      else k.say end
    from ranked k;
  end loop;
end $$;
