-- A list whose people are stored in this transaction, to answer the same request again. $1 campaign, $2 format, $3 options,
-- $4 bytes, $5 rows read, $6 accepted, $7 rejected, $8 the first rejects
insert into carillon.imports (campaign_id, format, options, bytes, state, bytes_read, rows_read, accepted, rejected, rejects,
  ended_at)
values ($1, $2, $3::jsonb, $4, 'done', $4, $5, $6, $7, $8::jsonb, now())
returning id
