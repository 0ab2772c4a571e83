#!/bin/sh
# Makes an authority of your own, and by it every certificate that compose.yaml mounts, in ./tls:
#
#   sudo ./certificates.sh energy.example.com [gateways.example.com]
#
# The first is where clients and devices connect (PUBLIC_URL, PUBLIC_MQTT_HOST); the second, with RabbitMQ, where gateways do. Run again, it makes
# certificates anew by the same authority: copy ./tls, restart what uses it. Keep tls/ca.key somewhere else than on these machines.
set -eu
public=${1:?the host that clients and devices connect to}
gateways=${2:-$public}
umask 077
mkdir -p tls/broker tls/api tls/proxy tls/gateways
cd tls
conf=$(mktemp)
trap 'rm -f "$conf"' EXIT
cat > "$conf" <<'END'
[req]
distinguished_name = name
[name]
[authority]
basicConstraints = critical, CA:TRUE, pathlen:0
keyUsage = critical, keyCertSign, cRLSign
subjectKeyIdentifier = hash
[issued]
basicConstraints = critical, CA:FALSE
keyUsage = critical, digitalSignature
extendedKeyUsage = serverAuth, clientAuth
subjectKeyIdentifier = hash
END
make() {
  openssl req -x509 -config "$conf" -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes "$@" 2>/dev/null
}
# issue FILE NAME,NAME…: 820 days are the most that some clients take.
issue() {
  names=$(echo "$2" | sed -E 's/[^,]+/DNS:&/g; s/DNS:([0-9.]+)(,|$)/IP:\1\2/g')
  make -extensions issued -days 820 -CA ca.crt -CAkey ca.key -keyout "$1.key" -out "$1.crt" -subj "/CN=${2%%,*}" \
    -addext "subjectAltName=$names"
}
[ -f ca.key ] || make -extensions authority -days 3650 -keyout ca.key -out ca.crt -subj '/CN=energy cluster'
# TLS of devices ends at the nodes, and nodes talk to each other and to the workers with the same one.
issue broker/node "$public,broker-1,broker-2,broker-3"
issue api/api api
issue proxy/proxy "$public"
issue gateways/gateways "$gateways,gateways"
cat proxy/proxy.crt proxy/proxy.key > proxy/proxy.pem
rm proxy/proxy.crt proxy/proxy.key
for folder in broker api proxy; do cp ca.crt $folder/ca.crt; done
# By the users of the images; a user that is not root makes them readable otherwise.
if [ "$(id -u)" = 0 ]; then
  chmod 755 . && chmod 644 ca.crt
  chown -R 999:999 broker && chown -R 1000:1000 api && chown -R 99:99 proxy && chown -R 1883:1883 gateways
fi
