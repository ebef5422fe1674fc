-- Which of these journals may still tell something of an attempt. $1 journals
select distinct a.journal from carillon.attempts a
where a.journal = any ($1::uuid[]) and a.state in ('dialing', 'unknown')
