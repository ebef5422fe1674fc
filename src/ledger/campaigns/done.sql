-- Background campaigns with nothing left to do. $1 service
update carillon.campaigns c set state = 'done', updated_at = now()
where c.base_url = $1 and c.driver = 'background' and c.state = 'running' and c.kind = 'list' and c.reopening is null
  and not exists (select from carillon.left_of(c.id))
returning id, name
