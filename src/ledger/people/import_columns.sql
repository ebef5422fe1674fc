-- The input's columns, old ones first; and whether the campaign still takes people. $1 campaign, $2 columns
update carillon.campaigns c
set updated_at = now(), columns = c.columns || array(
  select n from unnest($2::text[]) with ordinality as u(n, i) where n <> all (c.columns) order by i)
where c.id = $1
returning c.state, c.name
