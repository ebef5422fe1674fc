-- Erases a phone where it stands in texts: see carillon.scrub_texts. $1 phone, $2 its digits as people write them
-- long
select carillon.scrub_texts($1, $2::text[])
