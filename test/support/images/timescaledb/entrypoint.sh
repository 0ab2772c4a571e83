#!/bin/sh
# Makes the database in an empty volume, then runs the command as the user postgres.
set -eu
install -d -o postgres -g postgres -m 700 "$PGDATA"
as_postgres='setpriv --reuid=postgres --regid=postgres --init-groups'
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  password=$(mktemp)
  printf '%s\n' "${POSTGRES_PASSWORD:?}" > "$password"
  chown postgres "$password"
  $as_postgres initdb --username="${POSTGRES_USER:?}" --pwfile="$password" --auth-local=trust --auth-host=scram-sha-256
  rm "$password"
  echo 'host all all all scram-sha-256' >> "$PGDATA/pg_hba.conf"
  echo "CREATE DATABASE ${POSTGRES_DB:?};" | $as_postgres postgres --single -D "$PGDATA" postgres
fi
install -d -o postgres -g postgres -m 2775 /var/run/postgresql
exec $as_postgres "$@" -c "listen_addresses=*"
