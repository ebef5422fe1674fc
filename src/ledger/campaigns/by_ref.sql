-- The campaign that a request with this reference made, and a digest of what it asked for. $1 ref
select c.id, c.state, c.ref_body as "refBody" from carillon.campaigns c where c.ref = $1 and c.deleted_at is null
