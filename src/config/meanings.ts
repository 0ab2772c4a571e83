import type { Variables } from './sections.ts';

/** One-line description of each variable, also for docs/configuration.md (`npm run configuration`). */
export const VARIABLE_DESCRIPTIONS: Readonly<Record<keyof Variables, string>> = {
  ENVIRONMENT: 'live or sandbox; a sandbox has its own keys, ports and database',
  CELL: 'name of this installation, if several share one public URL; the first installation has no name',
  LOG_LEVEL: 'how much is logged: trace, debug, info, warn, error, fatal or silent',
  LOG_FORMAT: 'format of the log: json or text; by default short lines on a terminal, and JSON elsewhere',
  DATA_DIR: 'folder of the embedded database, certificate and secret.key, and of mail and SMS that are stored as files',
  PUBLIC_URL: 'URL of the API and the dashboard, in links and in the certificate',
  BACKUP_TO:
    'folder on another disk for nightly copies and WAL of the embedded database; by default, copies are in DATA_DIR/backups',
  BACKUP_KEY_FILE:
    'key file from energy backup init, with which the service encrypts the copies of the database; without a key file, copies are not encrypted and do not contain the secret key',
  RETENTION_MONTHS: 'number of months for which readings are retained; their consumption is retained permanently',
  MAX_CHANNELS: 'maximum number of channels of a device; readings of further channels are rejected',
  HEAD_MEMORY_MIB:
    'size in MiB of ingest’s cache of device states (464 bytes a meter); by default as needed, up to 512',
  DATABASE_URL: 'PostgreSQL 15 or newer; by default the embedded PostgreSQL in DATA_DIR',
  DATABASE_READ_URL:
    'streaming standby that answers requests for insights; by default the server of DATABASE_URL answers these requests',
  TIMESCALE: 'whether TimescaleDB is used if it is installed: auto or off',
  MQTT_URL: 'the MQTT broker; by default the embedded broker',
  SHARDS: 'number of queues at a RabbitMQ cluster; cannot be changed after the cluster’s first start',
  MQTT_PORT: 'port of the embedded broker without TLS',
  MQTTS_PORT: 'port of the embedded broker with TLS',
  MQTT_HOST: 'address that the embedded broker listens on without TLS',
  MQTTS_HOST: 'address that the embedded broker listens on with TLS',
  MQTTS_CLIENT_CA_FILE:
    'authorities (PEM) of client certificates that devices may use to log in at the embedded broker',
  PUBLIC_MQTT_HOST: 'MQTT host in the settings for devices, and in the certificate',
  API_HOST: 'address that the API listens on',
  API_PORT: 'port of the API for HTTPS',
  HTTP_PORT: 'port for plain HTTP: all requests are refused, except from proxies of TRUST_PROXY',
  OPERATOR_HOST: 'address of the listener for operators: health and metrics',
  OPERATOR_PORT: 'port of the listener for operators; with the value none, no process listens for operators',
  OPERATOR_NAMES: 'allowed host names with a dot in requests to the listener for operators',
  DRAIN_SECONDS:
    'seconds for which an API process, or ingest with the embedded broker, serves requests after SIGTERM; during this time, /readyz answers 503',
  TLS_CERT_FILE:
    'certificate of the API and the embedded broker; by default the service creates a certificate in DATA_DIR/tls',
  TLS_KEY_FILE: 'private key of the certificate in TLS_CERT_FILE',
  TRUST_PROXY:
    'addresses of proxies whose X-Forwarded-… headers and, at the embedded broker, PROXY headers are trusted',
  CORS_ORIGINS: 'origins whose pages may call /v1 and /mcp with a key',
  SECRET_KEY: 'key that encrypts stored secrets; by default the service creates a key in DATA_DIR/secret.key',
  BOOTSTRAP_ADMIN_KEY: 'first administrator’s key; by default the first start creates and prints a key',
  PLAN_LIMITS: 'requests that each plan allows in a minute and in a day',
  SMTP_URL: 'mail server; without a mail server, mails are files in DATA_DIR/mail',
  SMS_PROVIDER: 'service that sends SMS: twilio; without a service, SMS are files in DATA_DIR/sms',
  TWILIO_ACCOUNT_SID: 'account at Twilio',
  TWILIO_AUTH_TOKEN: 'token of the account at Twilio',
  TWILIO_FROM: 'phone number that sends SMS',
  TWILIO_BASE_URL: 'URL of Twilio’s API',
  WEBHOOK_ALLOW_PRIVATE:
    'whether webhook callbacks and the sources of price and emission series may have private addresses (for development)',
  WEBHOOK_CA_FILE:
    'certificate authority for webhook callbacks and the sources of price and emission series, in addition to the public authorities',
  REDIS_URL: 'Redis that counts requests; without Redis the database counts the requests',
  HOMEASSISTANT_MQTT_URL: 'broker that Home Assistant is connected to',
  HOMEASSISTANT_USERS: 'accounts whose homes Home Assistant shows',
  HOMEASSISTANT_DISCOVERY_PREFIX: 'first part of Home Assistant’s discovery topics',
  OIDC_ISSUER: 'OpenID Connect provider for signing in to the dashboard, in addition to mail',
  OIDC_CLIENT_ID: 'client ID of this service at the OpenID provider',
  OIDC_CLIENT_SECRET: 'client secret of this service at the OpenID provider',
  OIDC_SCOPES: 'scopes that are requested from the OpenID provider; openid is required',
  OIDC_LABEL: 'text of the button after “Sign in with”; by default the host of the issuer',
  OIDC_ROLE_CLAIM: 'claim with the groups or roles of a person; without this claim the provider does not set roles',
  OIDC_ROLES: 'maps values of the claim `OIDC_ROLE_CLAIM` to roles',
  OIDC_VERIFIED_CLAIM: 'claim that is true if the OpenID provider has verified the e-mail address',
  OIDC_CREATE_ACCOUNTS:
    'whether people without an account get an account at their first sign-in through the OpenID provider',
  OIDC_EMAIL_DOMAINS:
    'domains of the e-mail addresses that may sign in through the OpenID provider, or * for any domain',
  OIDC_CA_FILE: 'certificate authority of the OpenID provider, in addition to the public authorities',
  OTEL_EXPORTER_OTLP_ENDPOINT: 'OpenTelemetry collector; without a collector there are no traces',
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'OpenTelemetry collector for traces, instead of OTEL_EXPORTER_OTLP_ENDPOINT',
  OTEL_TRACES_SAMPLER_ARG: 'share of traces that is exported',
};

/** Details about a variable, for docs/configuration.md. */
interface Details {
  /** Behaviour of the service if the variable is unset, in Markdown. */
  unset?: string;
  /** Further sentences in Markdown. Their links are relative to `docs/`. */
  more?: string;
}

/** Details about variables that need more than one line in docs/configuration.md. */
export const VARIABLE_DETAILS: Readonly<Partial<Record<keyof Variables, Details>>> = {
  ENVIRONMENT: {
    more: 'In the sandbox, API keys begin with `eus_test_`. `npm run sandbox` sets `ENVIRONMENT` to `sandbox`.',
  },
  CELL: {
    more: 'The name of the installation becomes part of new identifiers, keys, cookies and mailed links, such as `usr_c2_…` ([cells](../deploy/cells/README.md)). Never change the name of an installation, and set the same name for every role and command.',
  },
  LOG_LEVEL: {
    more: 'Each request is logged in one line: at the level `debug` if the request succeeded, `info` if the service refused the request, `warn` if the service failed. The log goes to standard error.',
  },
  DATA_DIR: { unset: '`./data`' },
  PUBLIC_URL: {
    unset: '`https://localhost:8443`',
    more: 'By default, `PUBLIC_URL` contains the port that the API listens on.',
  },
  RETENTION_MONTHS: { more: 'Readings older than `RETENTION_MONTHS` are deleted, and rejected if they arrive later.' },
  HEAD_MEMORY_MIB: {
    unset: 'up to 512 and a quarter of the memory',
    more: 'The states of a million meters take 450 MiB. If the cache of device states is full, a message of a device outside the cache costs three times as much, because ingest reads the device’s state from the database.',
  },
  DATABASE_URL: {
    unset: 'embedded PostgreSQL in `DATA_DIR`',
    more: 'TimescaleDB is used if the database server has it ([databases](databases.md)). `DATABASE_URL` may list several hosts (`postgres://user:password@a:5432,b:5432/energy`); the service uses the host that accepts writes ([failover](failover.md)).',
  },
  DATABASE_READ_URL: {
    unset: '`DATABASE_URL`',
    more: 'The answers of the standby always contain the account’s own changes, and have the header `Age` if the standby is more than 5 s behind. If `DATABASE_READ_URL` lists several hosts, the service uses a host that is a standby.',
  },
  MQTT_URL: {
    unset: 'embedded broker',
    more: 'The broker must support MQTT 5 with shared subscriptions, or be a RabbitMQ cluster ([deploy/cluster](../deploy/cluster/rabbitmq/README.md)): `amqp[s]://USER:PASSWORD@a,b,c[/VHOST]`, ports 5672 and 5671 by default. `NODE_EXTRA_CA_CERTS` names a certificate authority of your own for the broker.',
  },
  MQTT_HOST: {
    more: 'Set an address other than `127.0.0.1` only in a network that you trust; the service then logs a warning when it starts.',
  },
  MQTTS_HOST: { unset: '`0.0.0.0`; demo and sandbox: `127.0.0.1`' },
  MQTTS_CLIENT_CA_FILE: {
    more: 'Devices with a password need no certificate ([client certificates](onboarding.md#client-certificates)).',
  },
  PUBLIC_MQTT_HOST: {
    unset: 'host of `PUBLIC_URL`',
    more: 'If the host of `PUBLIC_URL` is `localhost`, the default is this machine’s address in its network. Commands on the same machine take the MQTT host from the running service (`DATA_DIR/listening.json`).',
  },
  OPERATOR_HOST: {
    more: 'Metrics are at `/metrics`, the state of the roles at `/healthz` ([operations](operations.md)).',
  },
  OPERATOR_NAMES: {
    more: 'Example: `energy.monitoring.svc,…`. Requests with other host names are refused, because a web page could use a host name that resolves to this machine (DNS rebinding). IP addresses are always allowed. Host names without a dot are allowed if `OPERATOR_HOST` is not a loopback address.',
  },
  DRAIN_SECONDS: {
    more: 'Before a process stops, a proxy can direct the process’s requests to other processes ([rolling upgrade](several-machines.md#rolling-upgrade)).',
  },
  TLS_CERT_FILE: {
    unset: 'self-signed pair in `DATA_DIR/tls`',
    more: 'The service renews its self-signed certificate a month before the certificate expires. Anyone can download the certificate at `/certificate.pem`. The service checks the files of the certificate every 10 s: a renewed certificate needs no restart.',
  },
  CORS_ORIGINS: { more: 'Example: `https://app.example.com,https://…`.' },
  SECRET_KEY: {
    more: 'If `SECRET_KEY` is lost, the stored secrets are lost, too; after `energy secrets forget` the service runs without these secrets. All machines that share a database need the same `SECRET_KEY`.',
  },
  BOOTSTRAP_ADMIN_KEY: {
    more: 'The administrator’s key begins with `eus_live_` (in a sandbox, with `eus_test_`), followed by 32 to 503 characters. In a cell with a name, the cell’s name and `_` follow `eus_live_`.',
  },
  PLAN_LIMITS: {
    unset: '30, 60 or 120 a minute',
    more: 'By default, the plans free, developer and enterprise allow 30, 60 and 120 requests a minute, and 5,000, 25,000 and 100,000 a day. JSON: `{"free": {"minute": 30, "day": 5000}, "developer": …, "enterprise": …}`.',
  },
  SMTP_URL: { more: 'The URL begins with `smtp://` or `smtps://`, and contains user and password.' },
  TWILIO_BASE_URL: { more: 'To use another SMS provider that has the same API, set the URL of that provider.' },
  REDIS_URL: { more: 'While Redis is unreachable, the database counts the requests.' },
  HOMEASSISTANT_MQTT_URL: {
    more: 'Example: `mqtt://user:password@homeassistant.local:1883` ([Home Assistant](home-assistant.md)).',
  },
  HOMEASSISTANT_USERS: { more: 'The value is a list of up to 32 e-mail addresses, separated by commas.' },
  OIDC_ISSUER: { unset: 'people sign in by mail alone', more: 'All `OIDC_…` variables: [sign-in](sign-in.md).' },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    more: 'The service exports OTLP over HTTP. The service also reads the other variables `OTEL_EXPORTER_OTLP_…`, `OTEL_SERVICE_NAME` and `OTEL_RESOURCE_ATTRIBUTES`.',
  },
};
