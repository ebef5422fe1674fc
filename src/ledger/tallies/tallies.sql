-- name: fold
-- Folds the deltas into the tallies: see carillon.fold_tallies. @only: campaigns (null: all)
select carillon.fold_tallies(@only::uuid[]) as folded

-- name: unfolded
-- Campaigns with deltas that are not folded.
select d.campaign_id as id from carillon.tally_deltas d
union select d.campaign_id from carillon.report_deltas d
union select d.campaign_id from carillon.waiting_deltas d
