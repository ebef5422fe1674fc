-- The mark of the secret that keys the hashes of erased phones; null when nobody was erased. One row
select (select split_part(e.hash, '.', 1) from carillon.erasures e limit 1) as mark
