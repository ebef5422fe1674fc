-- The version that a version of the contact rules replaced. $1 version
select p.version from carillon.policies p where p.version < $1 order by p.version desc limit 1
