-- name: add
-- Records a change. @change: the change, as src/ledger/activity/activity.ts writes it
-- wakes
insert into carillon.activity (who, person, token_id, role, address, verb, subject, campaign_id, before, after)
select c.who, c.person, c.token_id, c.role, c.address, c.verb, c.subject, c.campaign_id, c.before, c.after
from jsonb_populate_record(null::carillon.activity, @change::jsonb) c

-- name: page
-- A page, newest first. A deleted campaign no longer has a name. Each part reads the index of one filter, and only one
-- part runs: a plan made while there were few rows must not read all of them later.
-- @at, @id: before this time and id (null: from the newest); @who: only by these (null: anybody); @verbs: only these
-- verbs; @subject: only of this subject; @campaignId: only of this campaign; @since: not before; @until: before
with bound as (
  select coalesce(@at::timestamptz, 'infinity') as at, coalesce(@id::bigint, 0) as id,
    coalesce(@since::timestamptz, '-infinity') as since, coalesce(@until::timestamptz, 'infinity') as until
), found as (
  (select x.* from bound b cross join lateral (
    select a.* from carillon.activity a
    where a.subject = @subject and (a.at, a.id) < (b.at, b.id) and a.at >= b.since and a.at < b.until
      and (@campaignId::uuid is null or a.campaign_id = @campaignId) and (@who::text is null or a.who = @who)
      and (@verbs::text[] is null or a.verb = any (@verbs))
    order by a.at desc, a.id desc limit @most) x
  where @subject::text is not null)
  union all
  (select x.* from bound b cross join lateral (
    select a.* from carillon.activity a
    where a.campaign_id = @campaignId and (a.at, a.id) < (b.at, b.id) and a.at >= b.since and a.at < b.until
      and (@who::text is null or a.who = @who) and (@verbs::text[] is null or a.verb = any (@verbs))
    order by a.at desc, a.id desc limit @most) x
  where @subject::text is null and @campaignId::uuid is not null)
  union all
  (select x.* from bound b cross join lateral (
    select a.* from carillon.activity a
    where a.who = @who and (a.at, a.id) < (b.at, b.id) and a.at >= b.since and a.at < b.until
      and (@verbs::text[] is null or a.verb = any (@verbs))
    order by a.at desc, a.id desc limit @most) x
  where @subject::text is null and @campaignId::uuid is null and @who::text is not null)
  union all
  (select x.* from bound b cross join unnest(@verbs::text[]) v cross join lateral (
    select a.* from carillon.activity a
    where a.verb = v and (a.at, a.id) < (b.at, b.id) and a.at >= b.since and a.at < b.until
    order by a.at desc, a.id desc limit @most) x
  where @subject::text is null and @campaignId::uuid is null and @who::text is null and @verbs::text[] is not null)
  union all
  (select x.* from bound b cross join lateral (
    select a.* from carillon.activity a
    where (a.at, a.id) < (b.at, b.id) and a.at >= b.since and a.at < b.until
    order by a.at desc, a.id desc limit @most) x
  where @subject::text is null and @campaignId::uuid is null and @who::text is null and @verbs::text[] is null)
)
select f.id, f.at, f.at::text as place, f.who, f.person, f.token_id as token, f.role, f.address, f.verb, f.subject,
  f.campaign_id as "campaignId", c.name as campaign, f.before, f.after
from found f left join carillon.campaigns c on c.id = f.campaign_id
order by f.at desc, f.id desc limit @most
