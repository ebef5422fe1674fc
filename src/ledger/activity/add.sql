-- $1 the change
select carillon.record_activity($1::jsonb)
