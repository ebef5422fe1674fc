-- Gives up what only another secret could tell: whom its hashes mean. The rows stay erased. $1 the mark of ours
delete from carillon.erasures e where split_part(e.hash, '.', 1) <> $1
