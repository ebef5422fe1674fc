-- Adds what gathered to the tallies: see carillon.fold_tallies.
select carillon.fold_tallies() as folded
