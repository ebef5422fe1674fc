-- What would be given up with a secret that is lost. $1 the mark of ours
select count(*)::integer as people, count(e.sealed)::integer as pending,
  count(s.phone)::integer as suppressed
from carillon.erasures e
left join lateral (select x.phone from carillon.suppressions x where x.phone = 'erased:' || e.hash limit 1) s on true
where split_part(e.hash, '.', 1) <> $1
