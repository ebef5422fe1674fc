-- $1 name, $2 kind, $3 service, $4 state, $5 driver, $6 agent, $7 callers, $8 timezone, $9 hours,
-- $10 max calls, $11 max attempts, $12 retry, $13 what becomes of unknown attempts, $14 lag, $15 weight
insert into carillon.campaigns (name, kind, base_url, state, driver, agent_id, callers, timezone, hours,
  max_calls, max_attempts, retry, on_unknown, lag, weight)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
on conflict (name) where superseded_at is null do nothing
returning id
