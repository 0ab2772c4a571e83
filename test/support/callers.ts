import { afterAll, beforeAll } from 'vitest';
import { type TestApi, testApi } from './api.ts';

interface Caller {
  userId: string;
  key: string;
}

/** The API, and a caller of each role; the utility enrolled the home. */
export interface Callers {
  api: TestApi;
  admin: Caller;
  utility: Caller;
  home: Caller;
}

/** Registers what makes and removes them; `begin` gets them before the first test. */
export function callers(begin: (made: Callers) => void): void {
  let api: TestApi;
  beforeAll(async () => {
    api = await testApi();
    const admin = await api.user('admin');
    const utility = await api.user('utility');
    begin({ api, admin, utility, home: await api.user('homeowner', { enrolledBy: utility.userId }) });
  });
  afterAll(() => api.close());
}
