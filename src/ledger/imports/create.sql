-- A list that waits to be added; its pieces follow in the same transaction. $1 campaign, $2 format, $3 options, $4 bytes
insert into carillon.imports (campaign_id, format, options, bytes) values ($1, $2, $3::jsonb, $4) returning id
