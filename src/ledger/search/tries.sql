-- The attempts of these people without what was said in them, those of one person in their order. $1 recipients
select t."ofRecipient", t.id, t.number, t.state, t.outcome, t.agent, t.key, t.caller, t."callId", t."providerCallSid",
  t."plannedAt", t."dialedAt", t."endedAt", t.cost
from carillon.tries_of_people($1) t
