-- Whether a process is alive: one that was silent for longer is dead, or cannot reach the ledger.
create function carillon.process_lives(seen timestamptz) returns boolean language sql stable as $$
  select seen > clock_timestamp() - interval '45 seconds'
$$;

-- Keys of a process that are not the ones in force: their secret or rate differs from a process that dials now, or from
-- what a person confirmed after this one started. `holder` is that process; null if only the person confirmed it.
create function carillon.other_keys(own text, service text, keys jsonb, started timestamptz)
returns table (name text, what text, holder text) language sql stable as $$
  select l.name, case when l.key_digest <> k.value ->> 'digest' then 'secret' else 'rate' end, h.holder
  from jsonb_each(keys) k
  join carillon.lanes l on l.base_url = service and l.name = k.key
  left join lateral (
    select p.host || ':' || p.pid as holder from carillon.processes p
    where p.id <> own and p.base_url = service and carillon.process_lives(p.seen_at) and p.parts && '{dialer,run}'
      and p.keys -> l.name = jsonb_build_object('digest', l.key_digest, 'rate', l.key_rate)
    order by p.started_at, p.id limit 1) h on true
  where (l.key_digest, l.key_rate) <> (k.value ->> 'digest', k.value ->> 'rate')
    and (h.holder is not null or l.key_confirmed_at > started)
  order by l.name
$$;

-- The same; the keys of a process that dials first become the ones in force unless another stands against them: under
-- one lock, so that one of several processes that start together is first.
create function carillon.agree_keys(own text, service text, keys jsonb, started timestamptz, dials boolean)
returns table (name text, what text, holder text) language plpgsql as $$
begin
  if dials and exists (
    select from jsonb_each(keys) k join carillon.lanes l on l.base_url = service and l.name = k.key
    where (l.key_digest, l.key_rate) is distinct from (k.value ->> 'digest', k.value ->> 'rate'))
  then
    perform pg_advisory_xact_lock(hashtext('carillon keys'));
    update carillon.lanes l set key_digest = k.value ->> 'digest', key_rate = k.value ->> 'rate'
    from jsonb_each(keys) k
    where l.base_url = service and l.name = k.key
      and (l.key_digest, l.key_rate) is distinct from (k.value ->> 'digest', k.value ->> 'rate')
      and not exists (select from carillon.other_keys(own, service, keys, started) o where o.name = l.name);
  end if;
  return query select o.name, o.what, o.holder from carillon.other_keys(own, service, keys, started) o;
end $$;

-- Whether a lane that creates no calls may try one, and when it may try the next if nothing comes of that one.
create function carillon.probe_is_due(l carillon.lanes) returns boolean language sql stable as
$$ select l.state in ('failing', 'out_of_credit') and l.probe_at <= now()
  and not exists (select from carillon.attempts a where a.id = l.probe_attempt and a.state = 'dialing') $$;
create function carillon.next_probe(l carillon.lanes) returns timestamptz language sql stable as
$$ select now() + make_interval(secs => greatest(l.probe_gap_ms, 5000) / 1000.0) $$;
