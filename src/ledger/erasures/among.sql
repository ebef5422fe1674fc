-- Which of these hashes are of people who were erased. $1 hashes
select e.hash from unnest($1::text[]) as h(hash)
cross join lateral (select x.hash from carillon.erasures x where x.hash = h.hash offset 0) e
