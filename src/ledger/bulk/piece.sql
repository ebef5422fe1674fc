-- The next piece of an act that is not over; `people` is null behind the last. Read after its lock was taken. $1 act
select b.act, b.filter, b.options, p.people::text[] as people
from carillon.bulk_acts b left join carillon.bulk_pieces p on p.act_id = b.id and p.n = b.piece
where b.id = $1 and b.state = 'running'
