-- Takes one person off a list: see carillon.remove_person. $1 recipient
select carillon.remove_person($1) as refusal
