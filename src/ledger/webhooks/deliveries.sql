-- The latest deliveries to an address, newest first. $1 id, $2 only those with this end (null: any), $3 before this one
-- (null: from the newest), $4 how many
select d.n, d.at, d.event, d.type, d.try, d.delivered, d.status, d.ms, d.error
from carillon.webhook_deliveries d
where d.webhook_id = $1 and ($2::boolean is null or d.delivered = $2::boolean) and ($3::bigint is null or d.n < $3::bigint)
order by d.n desc limit $4
