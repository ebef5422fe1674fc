-- New variables become columns of the results; this writes only when there are new ones. $1 campaign, $2 names
update carillon.campaigns c
set columns = c.columns || array(select n from unnest($2::text[]) with ordinality as u(n, i)
  where n <> all (c.columns) order by i)
where c.id = $1 and not ($2::text[] <@ c.columns)
