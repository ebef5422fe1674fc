-- Holds an import's rows until the whole file has been read: a broken file leaves nothing behind.
create temporary table stage (
  row integer not null, phone text not null, ref text not null, name text, agent text, place text not null, input jsonb not null,
  variables jsonb not null,
  -- Why the order never lets this person through.
  never text
) on commit drop
