-- Who of a campaign waits, by what decides until when, and the ledger's time: see carillon.waiting_sums. A row that has
-- no time of its own has the due time null. $1 campaign
select place, nullif(due, '-infinity') as due, attempts, held, n
from carillon.waiting_sums where campaign_id = $1 and n > 0
order by place, due, attempts, held
