-- The text of one version. $1 version
select p.body from carillon.policies p where p.version = $1
