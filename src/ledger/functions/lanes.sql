-- Probes of lanes that create no calls.

-- Whether a lane that creates no calls may try one, and when it may try the next if nothing comes of that one.
create function carillon.probe_is_due(l carillon.lanes) returns boolean language sql stable as
$$ select l.state in ('failing', 'out_of_credit') and l.probe_at <= now()
  and not exists (select from carillon.attempts a where a.id = l.probe_attempt and a.state = 'dialing') $$;
create function carillon.next_probe(l carillon.lanes) returns timestamptz language sql stable as
$$ select now() + make_interval(secs => greatest(l.probe_gap_ms, 5000) / 1000.0) $$;
