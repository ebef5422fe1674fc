-- The sweep is over: nothing is left to skip, and nothing in progress can come back. $1 campaign
update carillon.campaigns c set sweep = null
where c.id = $1 and c.sweep is not null
  and not exists (select from carillon.left_of(c.id))
