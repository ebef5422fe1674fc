-- Where the service promises that one idempotency key makes one call: the create as it was sent, until when it may be
-- sent again, and when that was last done. What was sent is forgotten once the attempt has its answer.
alter table carillon.attempts
  add column sent text,
  add column repeat_until timestamptz,
  add column repeated_at timestamptz,
  add check ((sent is null) = (repeat_until is null));
