-- One more request for an attempt that is neither its create nor a poll. $1 attempt
update carillon.attempts set requests = requests + 1 where id = $1
