-- What grows with every change of a person's row, as it is now. $1 recipient
select carillon.version_of(r.updated_at) as version from carillon.recipients r where r.id = $1
