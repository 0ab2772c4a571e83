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
