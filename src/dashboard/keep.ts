/** So long after the page is there that it takes nothing from it. */
const LATER_MS = 1_500;

/**
 * Lets the service worker keep what draws the dashboard, and what is seen from now on (service-worker.ts). Where the browser has none, or
 * does not trust the certificate, it is as if there were no such thing.
 */
export function keepForOffline(): void {
  if (!('serviceWorker' in navigator)) return;
  setTimeout(() => void register().catch(() => {}), LATER_MS);
}

async function register(): Promise<void> {
  await navigator.serviceWorker.register('/dashboard/app/service-worker.js', { scope: '/dashboard' });
  const { active } = await navigator.serviceWorker.ready;
  const files = performance
    .getEntriesByType('resource')
    .map(({ name }) => name)
    .filter((name) => new URL(name).pathname.startsWith('/dashboard/app/'));
  active?.postMessage({ keep: [...new Set(files)] });
}
