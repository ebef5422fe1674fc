-- Future campaigns may call them again; a row that was skipped stays skipped.
-- $1 phones, $2 the campaign of which they are taken off the list (null: the list of all)
delete from carillon.suppressions
where phone = any ($1::text[]) and campaign_id is not distinct from $2::uuid
returning phone
