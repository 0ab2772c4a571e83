import { GREEN_BUTTON_REQUIRED_SCOPE, isGreenButtonScope, negotiateGreenButtonScope } from '#src/auth/green-button.ts';

/** Name of an internal parameter in requests for consent. The parameter contains the granted ESPI scope string. Clients cannot set it. */
export const GREEN_BUTTON_SCOPE_PARAMETER = 'green_button_scope';

/**
 * Replaces the ESPI scope string in a request for consent by the scope of this service, and adds the granted string as an
 * internal parameter. An unusable string remains, and is later refused. Returns null if nothing changes.
 */
export function replaceGreenButtonScope(asked: URLSearchParams): URLSearchParams | null {
  const params = new URLSearchParams(asked);
  params.delete(GREEN_BUTTON_SCOPE_PARAMETER);
  const isChanged = params.size !== asked.size;
  const [text, ...more] = params.getAll('scope');
  const scopes = text?.split(' ') ?? [];
  const strings = scopes.filter(isGreenButtonScope);
  const negotiated = strings.length === 1 && more.length === 0 ? negotiateGreenButtonScope(strings[0] as string) : null;
  if (negotiated === null) return isChanged ? params : null;
  const others = scopes.filter((scope) => !isGreenButtonScope(scope) && scope !== GREEN_BUTTON_REQUIRED_SCOPE);
  params.set('scope', [GREEN_BUTTON_REQUIRED_SCOPE, ...others].join(' '));
  params.set(GREEN_BUTTON_SCOPE_PARAMETER, negotiated);
  return params;
}

/**
 * Replaces the ESPI scope strings in a request for tokens by the scope of this service. If the request is for a token of the app itself,
 * removes the ESPI scope strings, and replaces any other scope by one that the server refuses. Returns null if nothing changes.
 */
export function replaceGreenButtonTokenScope(form: URLSearchParams): URLSearchParams | null {
  const scopes = form.get('scope')?.split(' ').filter(Boolean) ?? [];
  const others = scopes.filter((scope) => !isGreenButtonScope(scope));
  const isOfApp = form.get('grant_type') === 'client_credentials';
  if (isOfApp ? scopes.length === 0 : others.length === scopes.length) return null;
  const params = new URLSearchParams(form);
  if (!isOfApp) params.set('scope', [...new Set([GREEN_BUTTON_REQUIRED_SCOPE, ...others])].join(' '));
  else if (others.length > 0) params.set('scope', GREEN_BUTTON_REQUIRED_SCOPE);
  else params.delete('scope');
  return params;
}
