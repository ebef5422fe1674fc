-- A run that starts probes at once, but not while a probe is in progress. Probes for credit start again with small
-- gaps; those of an outage keep their gaps. $1 service
update carillon.lanes l set probe_at = now(), probe_attempt = null,
  probe_gap_ms = case when l.state = 'out_of_credit' then 5000 else l.probe_gap_ms end
where l.base_url = $1 and l.state in ('failing', 'out_of_credit')
  and not exists (select from carillon.attempts a where a.id = l.probe_attempt and a.state = 'dialing')
