-- One import at a time into one campaign: the next one waits for it. $1 campaign
select pg_advisory_xact_lock(hashtextextended('carillon import ' || $1::text, 0))
