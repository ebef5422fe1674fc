-- The parts by which people are found: the digits of the phone and the name, folded. Kept apart from the people, whose rows
-- move several times a call: these do not. Its trigram index is made beside, as the database must allow the extension.
create table carillon.people_words (
  recipient_id bigint primary key,
  words text not null
);

-- People who were there before it: those below this id are still to be taken in, the newest first.
create table carillon.people_words_fill (below bigint not null);
