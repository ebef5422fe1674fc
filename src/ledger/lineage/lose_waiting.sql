-- Makes everyone unknown whom a campaign would call, at most this many: see carillon.lose_waiting. $1 campaign, $2 how many,
-- $3 how long each keeps its phone, in ms
select carillon.lose_waiting($1, $2, $3) as marked
