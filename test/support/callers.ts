import { afterAll, beforeAll } from 'vitest';
import { startTestApi, type TestApi } from './api.ts';

interface Caller {
  userId: string;
  key: string;
}

/** The API and a caller of each role. The home is enrolled with the utility. */
export interface CallersByRole {
  api: TestApi;
  admin: Caller;
  utility: Caller;
  home: Caller;
}

/** Registers hooks that create and remove the callers. `begin` receives them before the first test. */
export function setUpCallersByRole(begin: (made: CallersByRole) => void): void {
  let api: TestApi;
  beforeAll(async () => {
    api = await startTestApi();
    const admin = await api.user('admin');
    const utility = await api.user('utility');
    begin({ api, admin, utility, home: await api.user('homeowner', { enrolledBy: utility.userId }) });
  });
  afterAll(() => api.close());
}
