import type { Interaction } from 'oidc-provider';
import { expect, test } from 'vitest';
import { type ConsentRequest, createConsentPages } from './consent-page.ts';

const asked = (scope: string, green_button_scope?: string): ConsentRequest => ({
  found: {
    ...{ uid: 'x', returnTo: '/' },
    params: { scope, green_button_scope, redirect_uri: 'https://bright.example/back' },
  } as Interaction,
  app: {
    ...{ app_id: 'app_1', user_id: 'usr_1', name: 'Bright', website: 'https://bright.example', type: 'public' },
    ...{ redirect_uris: [], notification_url: null, scopes: ['insights:read', 'devices:read'], created_at: new Date() },
  },
});
const GREEN_BUTTON = 'FB=4_5;IntervalDuration=900;BlockDuration=daily;HistoryLength=94607999';

test.each([
  ['en', 'Length of the intervals: 15 minutes. Length of the history: 1,095 days.'],
  ['de', 'Länge der Intervalle: 15 Minuten. Länge des Verlaufs: 1.095 Tage.'],
  ['es', 'Duración de los intervalos: 15 minutos. Duración del historial: 1095 días.'],
  ['fr', 'Durée des intervalles : 15 minutes. Durée de l’historique : 1 095 jours.'],
  ['nl', 'Lengte van de intervallen: 15 minuten. Lengte van de historie: 1.095 dagen.'],
] as const)('the consent page in %s shows interval lengths and history', async (language, text) => {
  const page = (await createConsentPages(language)).consent(asked('insights:read devices:read', GREEN_BUTTON), 'csrf');
  // French numbers contain narrow spaces, which are replaced before the comparison.
  expect(page.replaceAll(/\s/g, ' ')).toContain('Green Button');
  expect(page.replaceAll(/\s/g, ' ')).toContain(text);
});

test('the consent page of a request without Green Button does not mention it', async () => {
  const { consent } = await createConsentPages('en');
  expect(consent(asked('insights:read'), 'csrf')).not.toContain('Green Button');
  // The app has lost the scope for reading usage since the request for consent began.
  expect(consent(asked('devices:read', GREEN_BUTTON), 'csrf')).not.toContain('Green Button');
});
