-- What an attempt keeps is found by the attempt: a person with several numbers keeps several.
create index live_phones_attempt on carillon.live_phones (attempt_id);
