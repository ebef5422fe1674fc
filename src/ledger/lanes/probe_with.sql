-- Makes a fresh plan the probe of a lane that creates no calls. $1 lane, $2 attempt
update carillon.lanes l set probe_attempt = $2, probe_at = carillon.next_probe(l)
where l.id = $1 and carillon.probe_is_due(l)
returning l.id
