-- Erasures of which something is left, the oldest first. $1 how many
select e.hash, e.sealed from carillon.erasures e where e.sealed is not null order by e.at limit $1
