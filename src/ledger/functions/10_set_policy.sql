-- Makes a version of the contact rules, unless the newest is the same: in one lock, so that processes that start together
-- make one. What a file rules is changed in the file: only a file replaces it.
create function carillon.set_policy(
  new_digest text, new_source text, new_body jsonb, new_binding boolean, new_caps jsonb, new_gap double precision,
  new_conversation double precision)
returns table (version integer, made boolean, refused boolean) language plpgsql as $$
declare
  latest carillon.policies%rowtype;
begin
  perform pg_advisory_xact_lock(hashtext('carillon policy'));
  select * into latest from carillon.policies p order by p.version desc limit 1;
  if latest.source = 'file' and latest.binding and new_source <> 'file' then
    return query select latest.version, false, true;
  elsif latest.digest = new_digest and latest.source = new_source then
    return query select latest.version, false, false;
  else
    return query
    insert into carillon.policies (version, digest, source, body, binding, caps, gap, conversation)
    values (coalesce(latest.version, 0) + 1, new_digest, new_source, new_body, new_binding, new_caps, new_gap, new_conversation)
    returning policies.version, true, false;
  end if;
end $$;
