-- Every version that the rules ever had, the oldest first.
select p.version, p.body from carillon.policies p order by p.version
