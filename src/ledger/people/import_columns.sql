-- The input's columns, old ones first. What is added to a list does not make variables of the list's own columns.
-- $1 campaign, $2 columns, $3 those that are no variables, $4 whole: they replace the known; more: they join them
update carillon.campaigns c
set mapped = case when $4 = 'whole' then $3::text[]
    else c.mapped || array(select n from unnest($3::text[]) n where n <> all (c.mapped)) end,
  updated_at = now(), columns = c.columns || array(
  select n from unnest($2::text[]) with ordinality as u(n, i) where n <> all (c.columns) order by i)
where c.id = $1
