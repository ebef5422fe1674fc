-- Whether its history is whole, as far as processes know; and which ledger it is.
select l.ledger, l.lost_why as why, l.lost_at as "lostAt", l.known_until as "knownUntil",
  carillon.system_now() is not null as "knowsSystem"
from carillon.lineage l
