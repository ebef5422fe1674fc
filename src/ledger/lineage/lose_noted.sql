-- Makes people unknown of whom a process noted a create: see carillon.lose_noted. $1 the notes, $2 how long each keeps its
-- phone, in ms
select n.campaign as id, c.name, n.marked from carillon.lose_noted($1::jsonb, $2) n
left join carillon.campaigns c on c.id = n.campaign
