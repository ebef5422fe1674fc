-- A list may be a workbook.
alter table carillon.works drop constraint works_format_check,
  add constraint works_format_check check (format in ('csv', 'json', 'ndjson', 'xlsx'));
