#!/bin/sh
# Makes the accounts and the database of a new installation; the PostgreSQL image of compose.yaml runs it once, on an
# empty volume. The superuser keeps no password afterwards: only somebody on the database's own host can be it.
set -eu
psql --set ON_ERROR_STOP=1 --set password="$POSTGRES_PASSWORD" --username "$POSTGRES_USER" --dbname postgres <<'SQL'
CREATE ROLE scheduler LOGIN PASSWORD :'password';
CREATE ROLE staging_scripts NOLOGIN;
GRANT staging_scripts TO scheduler;
CREATE DATABASE scheduler OWNER scheduler;
ALTER ROLE CURRENT_USER PASSWORD NULL;
SQL
