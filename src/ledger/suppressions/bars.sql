-- Whether a phone must not be called by any campaign. $1 phone
select exists (select from carillon.barring($1, null)) as bars
