-- People were added to a campaign that was done: nobody dials them before it is started again. $1 id
update carillon.campaigns c set state = 'paused', reason = 'recipients were added; start it again', updated_at = now()
where c.id = $1 and c.state = 'done'
  and exists (select from carillon.recipients r where r.campaign_id = c.id and r.state = 'waiting')
