-- The import that a request made. $1 its reference
select i.id, i.ref_body as "refBody" from carillon.imports i where i.ref = $1
