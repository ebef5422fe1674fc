-- What grows with every change of a person's row, which stays as it is until the transaction ends. $1 recipient
select carillon.version_of(r.updated_at) as version from carillon.recipients r where r.id = $1
for no key update
