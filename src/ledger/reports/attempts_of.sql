-- Every attempt of one person, in order. $1 recipient
select t.* from carillon.tries t where t."ofRecipient" = $1 order by t.id
