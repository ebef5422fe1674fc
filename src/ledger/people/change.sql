-- Changes one person: see carillon.change_person. $1 recipient, $2 what changes
select carillon.change_person($1, $2::jsonb) as refusal
