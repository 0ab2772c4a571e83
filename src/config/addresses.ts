import { readFileSync } from 'node:fs';
import { isIP, isIPv4 } from 'node:net';
import { type NetworkInterfaceInfo, networkInterfaces } from 'node:os';

type Interfaces = NodeJS.Dict<NetworkInterfaceInfo[]>;

/** Removes the brackets around an IPv6 address, which a URL requires, from a host. */
export const stripBrackets = (host: string): string => host.replace(/^\[(.*)\]$/, '$1');

/** Returns `host:port`, with an IPv6 address in brackets (RFC 3986, 3.2.2). */
export const formatHostAndPort = (host: string, port: number): string =>
  host.includes(':') ? `[${stripBrackets(host)}]:${port}` : `${host}:${port}`;

/** Whether only this machine can reach a service that listens on this host. */
export const isLoopback = (host: string): boolean =>
  /^(localhost|127(\.\d{1,3}){3}|::1|.+\.localhost)$/i.test(stripBrackets(host));

/** Whether listening on this host means listening on all addresses. */
const isEveryAddress = (host: string): boolean => ['0.0.0.0', '::'].includes(stripBrackets(host));

/** Returns the host name by which a program on this machine reaches a service that listens on this host. */
export const getLocalHost = (host: string): string => (isEveryAddress(host) ? '127.0.0.1' : stripBrackets(host));

/**
 * Returns the host name to which devices connect: the host of PUBLIC_URL. If that host is reachable only from this machine, returns the
 * broker's address or the machine's address in its network. Returns `localhost` if only this machine can connect to the broker.
 */
export function chooseHostForDevices(publicUrl: string, listensOn: string, inNetwork: () => string | null): string {
  const publicHost = stripBrackets(new URL(publicUrl).hostname);
  if (!isLoopback(publicHost)) return publicHost;
  if (isLoopback(listensOn)) return 'localhost';
  return isEveryAddress(listensOn) ? (inNetwork() ?? 'localhost') : stripBrackets(listensOn);
}

/**
 * Returns this machine's address in its network; null without a network. Prefers the interface with the default route, interfaces that do
 * not belong to a container or tunnel, and IPv4.
 */
export function findLocalNetworkAddress(
  interfaces: Interfaces = networkInterfaces(),
  onTheWayOut: string | null = defaultInterface(),
): string | null {
  const isVirtual = (name: string) => /^(docker|br-|veth|virbr|cni|flannel|tun|tap|wg|tailscale|zt)/.test(name);
  const rank = (name: string) => (name === onTheWayOut ? 0 : isVirtual(name) ? 2 : 1);
  const found = Object.entries(interfaces)
    .flatMap(([name, addresses]) => (addresses ?? []).map((one) => ({ ...one, name })))
    .filter(({ internal, address }) => !internal && isIP(address) !== 0 && !/^(fe80:|169\.254\.)/i.test(address))
    .sort((a, b) => rank(a.name) - rank(b.name) || Number(isIPv4(b.address)) - Number(isIPv4(a.address)));
  return found[0]?.address ?? null;
}

/** Returns the interface of the default route on Linux (/proc/net/route); null on other systems. */
function defaultInterface(): string | null {
  let table: string;
  try {
    table = readFileSync('/proc/net/route', 'utf8');
  } catch {
    return null;
  }
  const routes = table
    .split('\n')
    .slice(1)
    .map((line) => line.split('\t'))
    .filter(([, destination, , , , , , mask]) => destination === '00000000' && mask === '00000000')
    .sort((a, b) => Number(a[6]) - Number(b[6]));
  return routes[0]?.[0] ?? null;
}

const FORM = /^([a-z][a-z0-9+.-]*:\/\/)([^/?#]*@)?([^/?#@]*)(.*)$/is;

/**
 * Returns a URL for display that shows only the scheme and the hosts, because every other part may contain a secret. If the hosts cannot be
 * found for certain, the result is `(set)`.
 */
export function maskUrl(url: string): string {
  const [, scheme, user, hosts, rest = ''] = FORM.exec(url) ?? [];
  if (scheme === undefined || rest.includes('@')) return '(set)';
  return `${scheme}${user === undefined ? '' : '…@'}${hosts}${rest === '' || rest === '/' ? '' : '/…'}`;
}

/**
 * Matches a database URL. Its groups are the scheme with the credentials, the hosts with their ports, and the database with the settings.
 */
const PARTS = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/s;

/**
 * Splits a database URL with several hosts (`postgres://user:password@a:5432,b/database`) into one URL per host. Returns an empty list if a
 * host is missing between commas.
 */
export function splitDatabaseUrl(url: string): string[] {
  const [, before = '', hosts = '', behind = ''] = PARTS.exec(url) ?? [];
  if (!hosts.includes(',')) return [url];
  const names = hosts.split(',').map((host) => host.trim());
  return names.includes('') ? [] : names.map((host) => before + host + behind);
}

/** Whether the text is a URL of a PostgreSQL database on one or several hosts. */
export function isDatabaseUrl(text: string): boolean {
  const urls = splitDatabaseUrl(text);
  return urls.length > 0 && urls.every((url) => /^postgres(ql)?:\/\//.test(url) && URL.canParse(url));
}

/** Address of a message broker (AMQP), with the service's credentials. */
export interface AmqpUrl {
  isSecure: boolean;
  /** Hosts of the broker cluster, tried in order until a connection succeeds. */
  hosts: { host: string; port: number }[];
  username: string;
  password: string;
  vhost: string;
}

/** Matches RabbitMQ's URI format with several hosts. */
const AMQP_FORM = /^(amqps?):\/\/(?:([^:@/?#]*)(?::([^@/?#]*))?@)?([^@/?#]+)(?:\/([^/?#]*))?$/i;
const HOST = /^(\[[0-9a-f:.]+\]|[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?)(?::(\d{1,5}))?$/i;

export const isAmqpUrl = (url: string): boolean => /^amqps?:/i.test(url);

/**
 * Parses `amqp[s]://user:password@a,b:5673,c/vhost`. Default port: 5672, or 5671 with TLS; default virtual host: `/`. Reserved characters
 * are percent-encoded. Null if the text has another form.
 */
export function parseAmqpUrl(url: string): AmqpUrl | null {
  const [, scheme = '', username = '', password = '', authority = '', vhost] = AMQP_FORM.exec(url) ?? [];
  const isSecure = scheme.toLowerCase() === 'amqps';
  const hosts = authority.split(',').map((one) => {
    const [, host, port] = HOST.exec(one) ?? [];
    return { host: stripBrackets(host ?? ''), port: port === undefined ? (isSecure ? 5671 : 5672) : Number(port) };
  });
  if (scheme === '' || hosts.some(({ host, port }) => host === '' || port < 1 || port > 65_535)) return null;
  try {
    const [user, secret, virtual] = [username, password, vhost ?? '%2F'].map(decodeURIComponent) as [
      string,
      string,
      string,
    ];
    return { isSecure, hosts, username: user, password: secret, vhost: virtual === '' ? '/' : virtual };
  } catch {
    return null;
  }
}

/** Returns the user name and password in a broker's URL; empty texts if there are none. */
export function parseCredentials(url: string): { username: string; password: string } {
  if (isAmqpUrl(url)) {
    const { username = '', password = '' } = parseAmqpUrl(url) ?? {};
    return { username, password };
  }
  const { username, password } = new URL(url);
  return { username: decodeURIComponent(username), password: decodeURIComponent(password) };
}

/**
 * Returns the URL of an MQTT broker without its credentials, and the credentials as options of mqtt.js. In a URL, mqtt.js would misread a
 * colon in the password.
 */
export function splitCredentials(url: string): { address: string; login: { username?: string; password?: string } } {
  const address = Object.assign(new URL(url), { username: '', password: '' }).href;
  const credentials = Object.entries(parseCredentials(url)).filter(([, text]) => text !== '');
  return { address, login: Object.fromEntries(credentials) };
}
