-- The logins of all operators who may sign in.
select login from tekil.operator where not disabled order by operator_id
