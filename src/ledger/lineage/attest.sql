-- Holds the ledger to what this process knows of it: see carillon.attest.
-- $1 the witness, $2 the intents acknowledged since, $3 whether a process without a witness may vouch, $4 whether to add a
-- beat, $5 why its history is lost, where that is known
select verdict, news, ledger, epoch, beat, era, why, lost_at as "lostAt", known_until as "knownUntil",
  "timelineBefore", timeline
from carillon.attest($1::jsonb, $2::jsonb, $3, $4, $5)
