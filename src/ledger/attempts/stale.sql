-- The call was accepted but did not end within its deadline: shown to a person instead of polled for ever, with what
-- was wrong with the last answer, if anything.
-- $1 attempt, $2 why, $3 the deadline that has passed: a new one may have been set since (null: any); readers have it
-- without microseconds
update carillon.attempts a set state = 'unknown', reason = 'stale', detail = concat_ws('; ', $2::text, a.detail), next_poll_at = null
where a.id = $1 and a.state = 'placed' and a.deadline_at < coalesce($3, a.deadline_at) + interval '2 ms'
returning a.id
