-- The attempts of these people without what was said in them, those of one person in their order. $1 recipients
select t."ofRecipient", t.id, t.number, t.state, t.outcome, t.agent, t.key, t.caller, t."callId", t."providerCallSid",
  t."plannedAt", t."dialedAt", t."endedAt", t.cost
from unnest($1::bigint[]) x(id)
cross join lateral (
  select a."ofRecipient", a.id, a.number, a.state, a.outcome, a.agent, a.key, a.caller, a."callId", a."providerCallSid",
    a."plannedAt", a."dialedAt", a."endedAt", a.cost
  from carillon.tries a where a."ofRecipient" = x.id offset 0
) t
order by t."ofRecipient", t.id
