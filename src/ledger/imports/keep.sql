-- A list whose people are stored in this transaction, to answer the same request again. Nothing when another process
-- stored them meanwhile. $1 campaign, $2 format, $3 options, $4 bytes, $5 the request's reference, $6 a digest of what it
-- sent, $7 rows read, $8 accepted, $9 rejected, $10 the first rejects
insert into carillon.imports (campaign_id, format, options, bytes, ref, ref_body, state, bytes_read, rows_read, accepted,
  rejected, rejects, ended_at)
values ($1, $2, $3::jsonb, $4, $5, $6, 'done', $4, $7, $8, $9, $10::jsonb, now())
on conflict (ref) do nothing returning id
