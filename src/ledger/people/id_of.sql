-- The recipient of a campaign by the phone; the latest, where single calls have several. $1 campaign, $2 phone
select r.id from carillon.recipients r where r.phone = $2 and r.campaign_id = $1 order by r.id desc limit 1
