import { expect, test } from 'vitest';
import { getPageAfterSignIn } from './provider.ts';

test.each<[unknown, string]>([
  ['/dashboard', '/dashboard'],
  ['/dashboard/keys', '/dashboard/keys'],
  ['/dashboard/home/month/2026-10', '/dashboard/home/month/2026-10'],
  ['/dashboard/devices/dev_01h/day/2026-10-01', '/dashboard/devices/dev_01h/day/2026-10-01'],
  ...[
    ...[
      '//evil.example',
      '/dashboard//evil.example',
      'https://evil.example/dashboard',
      '/\\evil.example',
      '\\\\evil.example',
    ],
    ...[
      '/dashboard/../v1',
      '/dashboard/..',
      '/dashboard/%2e%2e',
      '/dashboard/\t/evil',
      '/dashboardevil',
      '/v1/users',
      '',
      '/',
    ],
    ...[
      '/dashboard@evil.example',
      '/dashboard?x=1',
      '/dashboard#x',
      '/dashboard/keys\r\nSet-Cookie: a=b',
      'javascript:alert(1)',
    ],
    ...['/dashboard/sign-in', '/dashboard/sign-in/callback', `/dashboard/${'x'.repeat(200)}`, '/dashboard/keys\n'],
    ...[undefined, null, 12, {}, ['/dashboard/keys']],
  ].map((given): [unknown, string] => [given, '/dashboard']),
])('the provider’s response %j redirects to %s', (given, expected) => {
  expect(getPageAfterSignIn(given)).toBe(expected);
});
