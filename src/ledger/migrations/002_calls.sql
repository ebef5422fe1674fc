-- Up Migration
-- A single call's reference stands once in the whole ledger: two requests with one Idempotency-Key make one call,
-- however close they come.
create unique index recipients_ref on carillon.recipients (ref) where ref <> '';
