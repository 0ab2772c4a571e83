import { isIP } from 'node:net';
import { bareHost, isLoopback } from '#src/config/addresses.ts';

/**
 * Whether the operator's listener answers to a request's Host. A web page can point its own name to this machine's address (DNS rebinding)
 * and read the response; its requests carry that name, which contains a dot. Permitted are addresses, this machine itself, names that the
 * operator configured and, if other machines may connect, names without a dot, as containers have.
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
