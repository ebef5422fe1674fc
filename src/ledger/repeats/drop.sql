-- What it made is gone: the request is a new one. $1 its reference
delete from carillon.repeats where ref = $1
