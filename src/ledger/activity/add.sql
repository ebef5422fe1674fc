-- $1 the change, as src/ledger/activity/verbs.ts writes it
insert into carillon.activity (who, token_id, role, address, verb, subject, campaign_id, before, after)
select c.who, c.token_id, c.role, c.address, c.verb, c.subject, c.campaign_id, c.before, c.after
from jsonb_populate_record(null::carillon.activity, $1::jsonb) c
