-- One import at a time into one campaign: the next one waits for it. An erasure that comes
-- meanwhile waits for the end of this transaction, and looks again: so it must be known from here on. $1 campaign
select pg_advisory_xact_lock(hashtextextended('carillon import ' || $1::text, 0)), pg_current_xact_id()::text as xid
