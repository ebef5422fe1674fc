-- Takes an import for this transaction: not when another process has it, or when it is over. The lock of a process that
-- died is free at once. $1 import
select pg_try_advisory_xact_lock(hashtextextended('carillon import work ' || $1::text, 0)) as got
