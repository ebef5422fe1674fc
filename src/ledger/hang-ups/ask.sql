-- Live calls that are to be hung up: of campaigns, or one of an attempt. A call that is being created is hung up when
-- it exists. One that the service refused to hang up is asked for again. Returns the attempts, known ones too.
-- $1 campaigns (null: any), $2 attempt (null: any)
with wanted as (
  select a.id from carillon.attempts a
  where ($1::uuid[] is null or a.campaign_id = any ($1::uuid[])) and ($2::uuid is null or a.id = $2::uuid)
    and carillon.may_hang_up(a.state, a.call_id)
), made as (
  insert into carillon.hang_ups as h (attempt_id) select w.id from wanted w order by w.id
  on conflict (attempt_id) do update set outcome = null, detail = null, due_at = now() where h.outcome = 'refused'
)
select id from wanted
