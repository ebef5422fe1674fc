-- The numbers of people who have several, in the order in which they are tried. The person's own row has the number that is
-- called next, or was called last. People with one number have no row here, and pay nothing for those who have.
create table carillon.phones (
  recipient_id bigint not null,
  nth smallint not null,
  campaign_id uuid not null,
  -- Empty where the list's cell is no phone.
  phone text not null,
  place text not null,
  -- Why it is not called: it is no phone, or another person's; or the service refused it.
  passed text,
  primary key (recipient_id, nth)
);
create index phones_phone on carillon.phones (phone, campaign_id);
create index phones_campaign on carillon.phones (campaign_id);

alter table carillon.recipients add column several boolean not null default false;

-- All numbers of a person who has several: while the attempt is live, nobody is called on any of them.
alter table carillon.attempts add column keeps text[];
