-- Whether a request may act in this transaction. $1 its reference
select carillon.claim_request($1) as found
