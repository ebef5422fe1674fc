-- Gives addresses free for other processes at once. $1 holder, $2 ids
update carillon.webhooks w set holder = null, held_until = null where w.holder = $1 and w.id = any ($2::uuid[])
