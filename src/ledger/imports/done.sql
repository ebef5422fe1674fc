-- Ends an import in its own transaction, and lets go of the body. $1 import, $2 rows read, $3 accepted, $4 rejected,
-- $5 the first rejects
with gone as (
  delete from carillon.import_pieces p where p.import_id = $1
), ended as (
  update carillon.imports i set state = 'done', since = now(), ended_at = now(), bytes_read = i.bytes, rows_read = $2,
    accepted = $3, rejected = $4, rejects = $5::jsonb
  where i.id = $1
  returning i.id, i.campaign_id
)
insert into carillon.outbox (type, campaign_id, subject) select 'import.done', e.campaign_id, e.id::text from ended e
