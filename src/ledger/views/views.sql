-- name: page
-- Views ordered by name. $1 after this name, $2 how many
select v.name, v.filter, v.made_by as "madeBy", v.made_at as "madeAt"
from carillon.views v where v.name > $1 order by v.name limit $2

-- name: keep
-- The same name again takes the new filter; nothing is stored when there are as many views as allowed. $1 name, $2
-- filter, $3 who, $4 how many may be
insert into carillon.views as v (name, filter, made_by)
select $1, $2::jsonb, $3
where (select count(*) from carillon.views x where x.name <> $1) < $4
on conflict (name) do update set filter = excluded.filter, made_by = excluded.made_by, made_at = now()
returning v.name, v.filter, v.made_by as "madeBy", v.made_at as "madeAt"

-- name: remove
-- Deletes a view. $1 name
delete from carillon.views v where v.name = $1
returning v.name, v.filter, v.made_by as "madeBy", v.made_at as "madeAt"
