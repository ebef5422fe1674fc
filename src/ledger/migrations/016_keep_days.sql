-- For how many days what is known of people is kept; null is for ever. CARILLON_KEEP_DAYS goes before it.
alter table carillon.keep_marks add column days integer check (days between 1 and 36500);
