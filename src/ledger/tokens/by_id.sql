-- $1 its id
select id, name, role, made_by as "madeBy", made_at as "madeAt", ends_at as "endsAt", used_at as "usedAt"
from carillon.tokens where id = $1
