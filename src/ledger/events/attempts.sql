-- Attempts with their people and campaigns, as the bodies of events show them. $1 recipients, $2 an attempt of each
select r.id as "recipientId", r.row, r.name, r.input, c.name as campaign, a.*
from unnest($1::bigint[], $2::uuid[]) as x(recipient, attempt)
cross join lateral (select t.* from carillon.tries t where t."ofRecipient" = x.recipient and t.id = x.attempt offset 0) a
cross join lateral (select p.* from carillon.recipients p where p.id = x.recipient offset 0) r
cross join lateral (select k.name from carillon.campaigns k where k.id = r.campaign_id offset 0) c
