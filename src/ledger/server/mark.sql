-- A short name of this ledger. The server and the database are part of it, because a copy of the ledger has the same id.
select left(
    encode(sha256(convert_to(concat_ws(' ', ledger.id, control.system_identifier, pg_database.oid), 'UTF8')), 'hex'), 12
  ) as mark
from carillon.ledger, pg_control_system() as control, pg_database
where pg_database.datname = current_database()
