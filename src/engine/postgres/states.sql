-- The states of many jobs in one round trip; BullMQ's own statement (get_state) tells one job's. A job that is gone has
-- no row. $1 queues, $2 ids, as many
select w.nth::integer - 1 as nth, j.state::text as state
from unnest($1::text[], $2::text[]) with ordinality as w(queue, id, nth)
join job j on j.queue = w.queue and j.id = w.id
