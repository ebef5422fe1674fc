-- What is read until the end of this transaction is the ledger as it is at one moment, and nothing is changed.
set transaction isolation level repeatable read, read only
