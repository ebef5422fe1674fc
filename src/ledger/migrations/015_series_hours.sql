-- What all campaigns did by hour, read by time: the primary key begins with the campaign.
create index campaign_series_hours on carillon.campaign_series (at) where step = 3600;
