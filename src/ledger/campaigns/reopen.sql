-- People were added to a campaign that was done. An evergreen one continues on the background workers; another rests until
-- it is started again. $1 id (null: every evergreen one), $2 service (null: any)
update carillon.campaigns c
set state = case when c.evergreen then 'running' else 'paused' end,
  reason = case when c.evergreen then null else 'recipients were added; start it again' end,
  driver = case when c.evergreen then 'background' else c.driver end, faults = 0, revision = c.revision + 1,
  updated_at = now()
where c.state = 'done' and c.superseded_at is null and (c.id = $1 or ($1::uuid is null and c.evergreen))
  and ($2::text is null or c.base_url = $2)
  and exists (select from carillon.recipients r where r.campaign_id = c.id and r.state = 'waiting')
returning c.id
