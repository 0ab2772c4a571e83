import { isIP } from 'node:net';
import { bareHost, isLoopback } from '#src/config/addresses.ts';

/**
 * Whether a request's Host is one that the operators' listener answers to. A web page can lead its own name to this machine's address (DNS
 * rebinding) and read what is answered; its requests carry that name, with a dot in it. An address is nobody's name. Beside
 * them: this machine itself, names that the operator gave, and where others may connect, names without a dot, as containers have.
 */
export function isOperatorHost(
  header: string | undefined,
  { host, names }: { host: string; names: readonly string[] },
): boolean {
  const [, named] = /^(\[[^\]]+\]|[^:[\]]+)(?::\d+)?$/.exec(header ?? '') ?? [];
  if (named === undefined) return false;
  const name = bareHost(named).toLowerCase();
  if (isIP(name) !== 0 || isLoopback(name)) return true;
  if ([host, ...names].some((one) => one.toLowerCase() === name)) return true;
  return !isLoopback(host) && !name.includes('.');
}
