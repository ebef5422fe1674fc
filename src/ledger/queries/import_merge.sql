-- New people are added, known ones keep their state and take the row's new data while nothing is planned.
-- $1 campaign
insert into carillon.recipients (campaign_id, row, phone, ref, name, zones, input, state, reason)
select $1, s.row, s.phone, s.ref, s.name, s.zones, s.input,
  case when x.phone is null then 'waiting' else 'skipped' end,
  case when x.phone is null then null else 'suppressed' end
from stage s left join carillon.suppressions x on x.phone = s.phone
where s.never is null
order by s.row
on conflict (campaign_id, phone, ref) do update
set row = excluded.row, input = excluded.input,
  name = case when recipients.state in ('waiting', 'skipped') then excluded.name else recipients.name end,
  zones = case when recipients.state in ('waiting', 'skipped') then excluded.zones else recipients.zones end,
  state = case when recipients.state = 'skipped'
    and (recipients.reason = 'not in the file any more' or recipients.reason like 'can never be called:%')
    and recipients.outcome is null then excluded.state else recipients.state end,
  reason = case when recipients.state = 'skipped'
    and (recipients.reason = 'not in the file any more' or recipients.reason like 'can never be called:%')
    and recipients.outcome is null then excluded.reason else recipients.reason end,
  updated_at = now()
