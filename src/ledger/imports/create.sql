-- A list that waits to be added; its pieces follow in the same transaction. Nothing when its request was here before.
-- $1 campaign, $2 format, $3 options, $4 bytes, $5 the request's reference (null: none), $6 a digest of what it sent
insert into carillon.imports (campaign_id, format, options, bytes, ref, ref_body) values ($1, $2, $3::jsonb, $4, $5, $6)
on conflict (ref) do nothing returning id
