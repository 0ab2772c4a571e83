import { GREEN_BUTTON_REQUIRED_SCOPE, isGreenButtonScope, negotiateGreenButtonScope } from '#src/auth/green-button.ts';

/**
 * Name of an internal parameter of requests for consent, which contains the negotiated scope string of ESPI. Clients cannot set this
 * parameter.
 */
export const GREEN_BUTTON_SCOPE_PARAMETER = 'green_button_scope';

/**
 * Replaces the ESPI scope string in a request for consent with this service's corresponding scope, and adds the negotiated string as an
 * internal parameter. If no part of the string can be granted, the string remains and is later refused as an unknown scope. Returns null if
 * nothing changes. Pure.
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
 * Replaces the ESPI scope strings in a request for tokens with this service's corresponding scope. A token for the app itself has no
 * scopes: its ESPI scope strings are removed, and if it has any other scope, the request gets a scope that is refused, because
 * oidc-provider would ignore unknown scopes. Returns null if nothing changes. Pure.
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
