-- name: fold
-- Folds the deltas into the tallies: see carillon.fold_tallies.
select carillon.fold_tallies() as folded
