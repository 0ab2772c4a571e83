import { expect, test } from 'vitest';
import { replaceGreenButtonScope, replaceGreenButtonTokenScope } from './green-button-requests.ts';

const NEGOTIATED = 'FB=4_5;IntervalDuration=900;BlockDuration=daily;HistoryLength=31536000';
const read = (text: string) => Object.fromEntries(replaceGreenButtonScope(new URLSearchParams(text)) ?? []);

test('converts a Green Button scope string into a scope of this service', () => {
  const asked = encodeURIComponent('devices:read FB=4_5;IntervalDuration=900');
  expect(read(`client_id=a&scope=${asked}&state=s%20t`)).toEqual({
    client_id: 'a',
    scope: 'insights:read devices:read',
    state: 's t',
    green_button_scope: NEGOTIATED,
  });
});

test('leaves a request without such a scope string unchanged, except for parameters that clients must not set', () => {
  for (const text of ['scope=insights:read', '', 'scope=FB=10', 'scope=FB=4&scope=FB=5', 'scope=FB=4%20FB=5'])
    expect(replaceGreenButtonScope(new URLSearchParams(text))).toBeNull();
  expect(read('scope=insights:read&green_button_scope=FB=4')).toEqual({ scope: 'insights:read' });
  expect(read('scope=FB=10&green_button_scope=FB=4')).toEqual({ scope: 'FB=10' });
});

test('converts scopes in a request for tokens; a token of the app itself gets no scope', () => {
  const form = (text: string) => {
    const changed = replaceGreenButtonTokenScope(new URLSearchParams(text));
    return changed && Object.fromEntries(changed);
  };
  expect(form('grant_type=refresh_token&scope=FB=4%20insights:read%20devices:read')).toEqual({
    grant_type: 'refresh_token',
    scope: 'insights:read devices:read',
  });
  expect(form('grant_type=client_credentials&scope=FB=34_35')).toEqual({ grant_type: 'client_credentials' });
  // Any other scope is replaced by a scope that is refused.
  for (const scope of ['insights:read', 'FB=34_35%20insights:read', 'FB=34_35%20x', 'x'])
    expect(form(`grant_type=client_credentials&scope=${scope}`)?.scope).toBe('insights:read');
  for (const unchanged of ['grant_type=client_credentials', 'grant_type=refresh_token&scope=insights:read'])
    expect(form(unchanged)).toBeNull();
});
