-- The span of the program that ordered a single call, as it named it: the call's own spans link it, and services that take
-- part in traces are told.
alter table carillon.recipients add column traceparent text;
