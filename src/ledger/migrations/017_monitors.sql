-- A monitor is an address too: it is told of no alert, but asked each minute while dialling works.
alter table carillon.alert_addresses drop constraint alert_addresses_kind_check;
alter table carillon.alert_addresses
  add constraint alert_addresses_kind_check check (kind in ('slack', 'email', 'url', 'monitor'));
