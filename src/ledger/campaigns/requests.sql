-- Requests that belong to the campaign but to no attempt. $1 id, $2 how many
insert into carillon.tally_deltas (campaign_id, name, n) select $1, 'requests', $2::integer where $2::integer <> 0
