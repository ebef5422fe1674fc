-- A page in the order of the phones; those whose end has passed are on it too. Of who was erased
-- there is nothing to show.
-- $1 $2 after this phone and scope, $3 how many, $4 only these phones, $5 only of this source, $6 only of this campaign
-- (null: any)
select s.phone, s.scope, s.source, c.name as campaign, s.reason, s.until, s.created_at as "createdAt"
from carillon.suppressions s left join carillon.campaigns c on c.id = s.campaign_id
where (s.phone, s.scope) > ($1, $2::uuid) and not starts_with(s.phone, 'erased:')
  and ($4::text[] is null or s.phone = any ($4::text[])) and ($5::text is null or s.source = $5)
  and ($6::uuid is null or s.campaign_id = $6)
order by s.phone, s.scope limit $3
