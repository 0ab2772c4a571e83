import type { TestApi } from './api.ts';

/** Returns functions that send requests with a key, one for each HTTP method. */
export const createRequestsWithKey = (api: TestApi, key: string) => ({
  get: (path: string) => api.send(path, { key }),
  post: (path: string, body: unknown) => api.send(path, { key, method: 'POST', body }),
  patch: (path: string, body: unknown) => api.send(path, { key, method: 'PATCH', body }),
  delete: (path: string) => api.send(path, { key, method: 'DELETE' }),
});

/** Returns the names of the fields that an error response reports as invalid. */
export const findInvalidFields = (json: { details?: { field: string }[] }) => json.details?.map(({ field }) => field);
