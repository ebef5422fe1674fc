-- A create was answered after its attempt had been given up: written down, once, so that somebody can see it. A call
-- id that stands there already was only told twice. $1 attempt, $2 call id
insert into carillon.events (recipient_id, attempt_id, kind, detail)
select a.recipient_id, a.id, 'late-call', $2 from carillon.attempts a
where a.id = $1 and a.call_id is distinct from $2
  and not exists (select from carillon.events e
    where e.recipient_id = a.recipient_id and e.attempt_id = a.id and e.kind = 'late-call' and e.detail = $2)
