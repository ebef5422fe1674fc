-- Makes a version of the contact rules: see carillon.set_policy. $1 digest, $2 source, $3 body, $4 whether it has any rule, $5 caps
-- [{calls, seconds}], $6 gap, $7 conversation, in seconds
select version, made, refused from carillon.set_policy($1, $2, $3::jsonb, $4, $5::jsonb, $6, $7)
