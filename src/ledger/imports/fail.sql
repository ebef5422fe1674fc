-- Ends an import that cannot be done: nothing of it was stored. $1 import, $2 code, $3 reason
with gone as (
  delete from carillon.import_pieces p where p.import_id = $1
), ended as (
  update carillon.imports i set state = 'failed', code = $2, reason = $3, since = now(), ended_at = now(), accepted = 0,
    rejected = 0
  where i.id = $1 and i.state in ('waiting', 'running')
  returning i.id, i.campaign_id
)
insert into carillon.outbox (type, campaign_id, subject) select 'import.done', e.campaign_id, e.id::text from ended e
