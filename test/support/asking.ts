import type { TestApi } from './api.ts';

/** Asks the API with a key, by method. */
export const asking = (api: TestApi, key: string) => ({
  get: (path: string) => api.send(path, { key }),
  post: (path: string, body: unknown) => api.send(path, { key, method: 'POST', body }),
  patch: (path: string, body: unknown) => api.send(path, { key, method: 'PATCH', body }),
  delete: (path: string) => api.send(path, { key, method: 'DELETE' }),
});

/** What an answer names as wrong. */
export const fields = (json: { details?: { field: string }[] }) => json.details?.map(({ field }) => field);
