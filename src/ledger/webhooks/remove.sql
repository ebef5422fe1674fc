-- Forgets an address with everything that waits for it. $1 id
delete from carillon.webhooks where id = $1 returning id
