-- The parts by which people are found: the digits of the phone and the name, folded. Kept apart from the people, whose rows
-- move several times a call: these do not. Its trigram index is made beside, as the database must allow the extension.
create table carillon.people_words (
  recipient_id bigint primary key,
  words text not null
);

-- Rows whose words are still to be taken in, from one id to another: those of a long list, and those who were there before.
create table carillon.people_words_fill (first bigint not null, last bigint not null);
