-- Takes effect at once: anyone who is not yet being called is skipped; see carillon.suppress.
-- $1 [{phone, source, reason, until}], $2 the campaign that may not call them (null: none may), $3 whether live calls are
-- hung up
-- long
select added, skipped, calls::text[] as calls from carillon.suppress($1::jsonb, $2::uuid, $3::boolean)
