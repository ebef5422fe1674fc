-- What goes to the service with a person's next call. $1 recipient
select carillon.variables_of(r.input, r.variables) as variables from carillon.recipients r where r.id = $1
