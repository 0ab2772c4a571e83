import { readFileSync } from 'node:fs';
import { isIP, isIPv4 } from 'node:net';
import { type NetworkInterfaceInfo, networkInterfaces } from 'node:os';

type Interfaces = NodeJS.Dict<NetworkInterfaceInfo[]>;

/** A host without the brackets that an IPv6 address has in a URL. */
export const bareHost = (host: string): string => host.replace(/^\[(.*)\]$/, '$1');

/** `host:port`; an IPv6 address in brackets (RFC 3986, 3.2.2). */
export const hostAndPort = (host: string, port: number): string =>
  host.includes(':') ? `[${bareHost(host)}]:${port}` : `${host}:${port}`;

/** Whether only this machine reaches a service that listens there. */
export const isLoopback = (host: string): boolean =>
  /^(localhost|127(\.\d{1,3}){3}|::1|.+\.localhost)$/i.test(bareHost(host));

/** Whether who listens there listens on every address of the machine. */
const isEveryAddress = (host: string): boolean => ['0.0.0.0', '::'].includes(bareHost(host));

/** Where this machine itself connects to what listens there. */
export const fromHere = (host: string): string => (isEveryAddress(host) ? '127.0.0.1' : bareHost(host));

/**
 * The host that devices are told: that of PUBLIC_URL; where that is this machine alone, the address that the broker listens
 * on, and of all of them the machine's address in its network. Where nobody else reaches the broker, `localhost`.
 */
export function hostForDevices(publicUrl: string, listensOn: string, inNetwork: () => string | null): string {
  const publicHost = bareHost(new URL(publicUrl).hostname);
  if (!isLoopback(publicHost)) return publicHost;
  if (isLoopback(listensOn)) return 'localhost';
  return isEveryAddress(listensOn) ? (inNetwork() ?? 'localhost') : bareHost(listensOn);
}

/**
 * This machine's address in its network: of the interface that has the way to elsewhere, else the first that is no
 * container's or tunnel's. IPv4 where there is any: more devices speak it. Null on a machine without a network.
 */
export function addressInNetwork(
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

/** Interface of the default route with the lowest metric, as Linux tells it (proc(5), /proc/net/route); null elsewhere. */
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
 * What may be shown of a URL: scheme and hosts. User, password, path and settings are `…` where there are any, as each may be a secret. Where the rest
 * has an `@`, the password may have had a slash: then all of it is `(set)`, as where it has no such form.
 */
export function shownUrl(url: string): string {
  const [, scheme, user, hosts, rest = ''] = FORM.exec(url) ?? [];
  if (scheme === undefined || rest.includes('@')) return '(set)';
  return `${scheme}${user === undefined ? '' : '…@'}${hosts}${rest === '' || rest === '/' ? '' : '/…'}`;
}

/** Scheme and who logs in; hosts with their ports; database and settings. */
const PARTS = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/s;

/**
 * The URLs of the single hosts of one that names several, as libpq writes them: `postgres://user:password@a:5432,b/database`. What
 * names one host, or none, is left as it is. Empty where a host is missing between commas.
 */
export function urlsOfHosts(url: string): string[] {
  const [, before = '', hosts = '', behind = ''] = PARTS.exec(url) ?? [];
  if (!hosts.includes(',')) return [url];
  const names = hosts.split(',').map((host) => host.trim());
  return names.includes('') ? [] : names.map((host) => before + host + behind);
}

/** Whether it is the URL of a PostgreSQL, on one host or several. */
export function isDatabaseUrl(text: string): boolean {
  const urls = urlsOfHosts(text);
  return urls.length > 0 && urls.every((url) => /^postgres(ql)?:\/\//.test(url) && URL.canParse(url));
}

/** Where a cluster of brokers is, and who the service is to it. */
export interface AmqpUrl {
  isSecure: boolean;
  /** Any of them will do; the others are asked when one does not answer. */
  hosts: { host: string; port: number }[];
  username: string;
  password: string;
  vhost: string;
}

/** By RabbitMQ's URI specification, with several hosts, which that of a browser does not know. */
const AMQP_FORM = /^(amqps?):\/\/(?:([^:@/?#]*)(?::([^@/?#]*))?@)?([^@/?#]+)(?:\/([^/?#]*))?$/i;
const HOST = /^(\[[0-9a-f:.]+\]|[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?)(?::(\d{1,5}))?$/i;

export const isAmqp = (url: string): boolean => /^amqps?:/i.test(url);

/**
 * Reads `amqp[s]://user:password@a,b:5673,c/vhost`: without a port 5672, or 5671 with TLS; without a virtual host `/`. Characters that
 * stand for something in a URL are written as in any (`%2F`). Null where it is none.
 */
export function parseAmqpUrl(url: string): AmqpUrl | null {
  const [, scheme = '', username = '', password = '', authority = '', vhost] = AMQP_FORM.exec(url) ?? [];
  const isSecure = scheme.toLowerCase() === 'amqps';
  const hosts = authority.split(',').map((one) => {
    const [, host, port] = HOST.exec(one) ?? [];
    return { host: bareHost(host ?? ''), port: port === undefined ? (isSecure ? 5671 : 5672) : Number(port) };
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

/** Name and password in the URL of a broker, of either kind; empty where it has none. */
export function credentialsIn(url: string): { username: string; password: string } {
  if (isAmqp(url)) {
    const { username = '', password = '' } = parseAmqpUrl(url) ?? {};
    return { username, password };
  }
  const { username, password } = new URL(url);
  return { username: decodeURIComponent(username), password: decodeURIComponent(password) };
}
