-- Counts the rows that imports refused. $1 campaign, $2 how many more than before
insert into carillon.tally_deltas (campaign_id, name, n) select $1, 'refused', $2::integer where $2::integer <> 0
