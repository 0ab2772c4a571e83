#!/bin/sh
# Run once by Patroni on a cluster that it has just made; $1 leads to it as its superuser. Makes the service's role and database.
set -eu
psql -v ON_ERROR_STOP=1 -v password="${ENERGY_PASSWORD:?set it, the password of the role energy}" -d "$1" <<'SQL'
CREATE ROLE energy LOGIN PASSWORD :'password';
CREATE DATABASE energy OWNER energy;
SQL
psql -v ON_ERROR_STOP=1 -d "$1" -c '\connect energy' -c 'CREATE EXTENSION IF NOT EXISTS timescaledb'
