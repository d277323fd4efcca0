-- Makes a restored database safe to go on with, before anybody uses it. See tekil.after_restore.
select claimed, kept, processing, unknown from tekil.after_restore($1)
