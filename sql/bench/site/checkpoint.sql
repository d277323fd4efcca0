-- Writes everything out, as the server does by itself now and then.
checkpoint
