-- Admits and claims: see carillon.open_attempts.
-- $1 [{id, revision, opens, ticket, policy, validUntil, hash}], $2 who dials, $3 the run (null: a background worker), $4 the lane's cap, $5 how
-- long the request may take, in ms, $6 how long past its expiry the attempt keeps its phone, in ms, $7 the dialer's journal (null: it keeps none)
select attempt, verdict from carillon.open_attempts($1::jsonb, $2, $3, $4, $5, $6, $7)
