-- A create was answered after its attempt was given up: recorded once, so that a person can see it. A call id that is
-- already recorded was only reported twice. $1 attempt, $2 call id
insert into carillon.history (recipient_id, attempt_id, kind, detail)
select a.recipient_id, a.id, 'late-call', $2 from carillon.all_attempts a
where a.id = $1 and a.call_id is distinct from $2
  and not exists (select from carillon.history h
    where h.recipient_id = a.recipient_id and h.attempt_id = a.id and h.kind = 'late-call' and h.detail = $2)
