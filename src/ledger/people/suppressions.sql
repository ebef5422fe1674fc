-- $1 phones after this one, $2 how many
select phone, reason, created_at as "createdAt" from carillon.suppressions
where phone > $1 order by phone limit $2
