-- Which rejects the rows of a file of rejects were, until the whole file has been read. A person may have typed the numbers.
create temporary table repairs (line numeric not null, reason text not null) on commit drop
