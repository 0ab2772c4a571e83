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
