-- When a person asked, on a call, to be called back; null again once that call has ended. And how often it was taken up:
-- these attempts come on top of those that the order allows.
alter table carillon.recipients add column callback_at timestamptz, add column callbacks smallint not null default 0;
-- People who asked go first: where nobody did, this is empty, and costs a look.
create index recipients_callback on carillon.recipients (campaign_id, next_at, row)
  where state = 'waiting' and callback_at is not null;
