-- Future campaigns may call them again; a row that was skipped stays skipped. $1 phones
delete from carillon.suppressions where phone = any ($1::text[]) returning phone
