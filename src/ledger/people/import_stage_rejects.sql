-- Where the rejects of an import that adds to a list stand until they are held against those that are known.
create temporary table stage_rejects (row integer not null, reason text not null, input jsonb not null) on commit drop
