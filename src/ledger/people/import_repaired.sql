-- The rejects that came back and are no longer what they were: each is a person now, or another reject. One that came back
-- as it was keeps its place. Returns how many are gone. $1 campaign
with gone as (
  delete from carillon.rejects j using repairs r
  where j.campaign_id = $1 and j.row = r.line and j.reason = r.reason
    and not exists (select from stage_rejects s where s.input = j.input)
  returning j.id
)
select count(*)::integer as gone from gone
