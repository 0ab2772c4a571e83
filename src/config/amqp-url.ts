import { bareHost } from './addresses.ts';

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
const FORM = /^(amqps?):\/\/(?:([^:@/?#]*)(?::([^@/?#]*))?@)?([^@/?#]+)(?:\/([^/?#]*))?$/i;
const HOST = /^(\[[0-9a-f:.]+\]|[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?)(?::(\d{1,5}))?$/i;

export const isAmqp = (url: string): boolean => /^amqps?:/i.test(url);

/**
 * Reads `amqp[s]://user:password@a,b:5673,c/vhost`: without a port 5672, or 5671 with TLS; without a virtual host `/`. Characters that
 * stand for something in a URL are written as in any (`%2F`). Null where it is none.
 */
export function parseAmqpUrl(url: string): AmqpUrl | null {
  const [, scheme = '', username = '', password = '', authority = '', vhost] = FORM.exec(url) ?? [];
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
