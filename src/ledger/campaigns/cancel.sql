-- Nobody else is called; placed calls are followed to their end. The waiting rows are skipped later, in batches.
-- $1 id, $2 why, $3 whether it also gives up its name, because it is started over
update carillon.campaigns set state = 'canceled', reason = $2, sweep = case when $3 then $2 else 'campaign canceled' end,
  revision = revision + 1, updated_at = now(), superseded_at = case when $3 then now() else superseded_at end
where id = $1 and (state <> 'canceled' or ($3 and superseded_at is null))
returning id
