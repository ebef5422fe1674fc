-- A page in the order of the names; those that have ended are on it too. $1 after this name, $2 how many
select id, name, role, made_by as "madeBy", made_at as "madeAt", ends_at as "endsAt", used_at as "usedAt"
from carillon.tokens where name > $1 order by name limit $2
