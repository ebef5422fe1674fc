-- The act that a request began. $1 its reference
select b.id, b.ref_body as "refBody" from carillon.bulk_acts b where b.ref = $1
