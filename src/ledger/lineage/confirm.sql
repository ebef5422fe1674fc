-- A person confirmed what is left of the history: people may be called again. Null when nothing was lost.
select carillon.confirm_lineage() as why
