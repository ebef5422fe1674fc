-- What is to be imported, the oldest first. Some may be in the hands of another process: see lock.sql. $1 how many
select i.id, i.campaign_id as "campaignId", i.format, i.options, i.bytes from carillon.imports i
where i.state in ('waiting', 'running') order by i.created_at, i.id limit $1
