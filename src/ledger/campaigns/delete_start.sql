-- Marks a campaign as deleted: see carillon.start_delete. $1 id
select carillon.start_delete($1) as refusal
