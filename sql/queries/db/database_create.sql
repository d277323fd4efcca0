-- The workspace's database. CREATE DATABASE takes no parameters and runs in no transaction.
CREATE DATABASE tekil OWNER tekil_owner TEMPLATE template0
