-- name: add
-- Records a change. $1 the change, as src/ledger/activity/activity.ts writes it
-- wakes
insert into carillon.activity (who, person, token_id, role, address, verb, subject, campaign_id, before, after)
select c.who, c.person, c.token_id, c.role, c.address, c.verb, c.subject, c.campaign_id, c.before, c.after
from jsonb_populate_record(null::carillon.activity, $1::jsonb) c

-- name: page
-- A page, newest first. A deleted campaign no longer has a name. Each part reads the index of one filter, and only one
-- part runs: a plan made while there were few rows must not read all of them later. $1 $2 before this time and id
-- (null: from the newest), $3 how many, $4 only by these (null: anybody), $5 only these verbs, $6 only of this subject,
-- $7 only of this campaign, $8 not before, $9 before
with bound as (
  select coalesce($1::timestamptz, 'infinity') as at, coalesce($2::bigint, 0) as id,
    coalesce($8::timestamptz, '-infinity') as since, coalesce($9::timestamptz, 'infinity') as until
), found as (
  (select x.* from bound b cross join lateral (
    select a.* from carillon.activity a
    where a.subject = $6 and (a.at, a.id) < (b.at, b.id) and a.at >= b.since and a.at < b.until
      and ($7::uuid is null or a.campaign_id = $7) and ($4::text is null or a.who = $4)
      and ($5::text[] is null or a.verb = any ($5))
    order by a.at desc, a.id desc limit $3) x
  where $6::text is not null)
  union all
  (select x.* from bound b cross join lateral (
    select a.* from carillon.activity a
    where a.campaign_id = $7 and (a.at, a.id) < (b.at, b.id) and a.at >= b.since and a.at < b.until
      and ($4::text is null or a.who = $4) and ($5::text[] is null or a.verb = any ($5))
    order by a.at desc, a.id desc limit $3) x
  where $6::text is null and $7::uuid is not null)
  union all
  (select x.* from bound b cross join lateral (
    select a.* from carillon.activity a
    where a.who = $4 and (a.at, a.id) < (b.at, b.id) and a.at >= b.since and a.at < b.until
      and ($5::text[] is null or a.verb = any ($5))
    order by a.at desc, a.id desc limit $3) x
  where $6::text is null and $7::uuid is null and $4::text is not null)
  union all
  (select x.* from bound b cross join unnest($5::text[]) v cross join lateral (
    select a.* from carillon.activity a
    where a.verb = v and (a.at, a.id) < (b.at, b.id) and a.at >= b.since and a.at < b.until
    order by a.at desc, a.id desc limit $3) x
  where $6::text is null and $7::uuid is null and $4::text is null and $5::text[] is not null)
  union all
  (select x.* from bound b cross join lateral (
    select a.* from carillon.activity a
    where (a.at, a.id) < (b.at, b.id) and a.at >= b.since and a.at < b.until
    order by a.at desc, a.id desc limit $3) x
  where $6::text is null and $7::uuid is null and $4::text is null and $5::text[] is null)
)
select f.id, f.at, f.at::text as place, f.who, f.person, f.token_id as token, f.role, f.address, f.verb, f.subject,
  f.campaign_id as "campaignId", c.name as campaign, f.before, f.after
from found f left join carillon.campaigns c on c.id = f.campaign_id
order by f.at desc, f.id desc limit $3
