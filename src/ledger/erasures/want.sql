-- A phone that came in again after it was erased is to be erased again. $1 hash, $2 the phone, sealed
update carillon.erasures e set sealed = $2, xid = pg_current_xact_id() where e.hash = $1
