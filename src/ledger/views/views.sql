-- name: page
-- Views ordered by name. @after: after this name
select v.name, v.filter, v.made_by as "madeBy", v.made_at as "madeAt"
from carillon.views v where v.name > @after order by v.name limit @most

-- name: keep
-- The same name again takes the new filter; nothing is stored when there are as many views as allowed.
-- @by: who; @most: how many may be
insert into carillon.views as v (name, filter, made_by)
select @name, @filter::jsonb, @by
where (select count(*) from carillon.views x where x.name <> @name) < @most
on conflict (name) do update set filter = excluded.filter, made_by = excluded.made_by, made_at = now()
returning v.name, v.filter, v.made_by as "madeBy", v.made_at as "madeAt"

-- name: remove
-- Deletes a view.
delete from carillon.views v where v.name = @name
returning v.name, v.filter, v.made_by as "madeBy", v.made_at as "madeAt"
