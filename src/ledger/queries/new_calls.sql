-- Calls that a run has started or is about to start. $1 campaign, $2 dialer
select count(*)::integer as n from carillon.attempts
where campaign_id = $1 and (state = 'planned' or (dialer = $2 and state in ('dialing', 'placed', 'unknown', 'done')))
