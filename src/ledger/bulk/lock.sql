-- Takes an act for this transaction: not when another process has it in hand. The lock of a process that died is free at
-- once. $1 act
select pg_try_advisory_xact_lock(hashtextextended('carillon bulk ' || $1::text, 0)) as got
