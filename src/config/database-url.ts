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
