-- Rows that were parked before anything was planned for them wait again. $1 campaign
-- long
update carillon.recipients r set state = 'waiting', reason = null, updated_at = now()
where r.campaign_id = $1 and r.state = 'parked'
