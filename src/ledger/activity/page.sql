-- A page, the newest first. A campaign that was deleted has no name any more.
-- $1 before this id (null: from the newest), $2 how many, $3 only by these (null: anybody), $4 only this verb, or the
-- verbs of this noun, $5 only of this subject, $6 only of this campaign, $7 not before, $8 before
select a.id, a.at, a.who, a.token_id as token, a.role, a.address, a.verb, a.subject, a.campaign_id as "campaignId",
  c.name as campaign, a.before, a.after
from carillon.activity a left join carillon.campaigns c on c.id = a.campaign_id
where ($1::bigint is null or a.id < $1) and ($3::text is null or a.who = $3)
  and ($4::text is null or a.verb = $4 or a.verb like $4 || '.%')
  and ($5::text is null or a.subject = $5) and ($6::uuid is null or a.campaign_id = $6)
  and ($7::timestamptz is null or a.at >= $7) and ($8::timestamptz is null or a.at < $8)
order by a.id desc limit $2
