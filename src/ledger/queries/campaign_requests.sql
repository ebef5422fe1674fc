-- Requests that belong to the campaign but to no attempt. $1 id, $2 how many
update carillon.campaigns set requests = requests + $2 where id = $1
