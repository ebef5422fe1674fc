-- The contact rules in force, without their text, and the ledger's time; one row, also when there never were any.
select p.version, p.digest, p.source, p.made_at as "madeAt", clock_timestamp() as at
from (select 1) one left join lateral (
  select * from carillon.policies x order by x.version desc limit 1
) p on true
