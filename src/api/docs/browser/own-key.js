const KEPT = 'energy-docs-key';
const DAY_MS = 86_400_000;
/** What the samples may read. They change nothing, also those that would. */
const SCOPES = ['insights:read', 'alerts:read', 'users:read', 'devices:read', 'webhooks:read', 'tariffs:read'];

/**
 * Offers a reader who is signed in to the dashboard a key for the samples: it only reads, and ends after a day. The key is made by a button
 * alone, and is in this tab's sessionStorage until the tab is closed, the key is revoked or the reader signs out.
 */
export async function ownKey(first, element) {
  const session = await sessionNow();
  const kept = keptKey();
  const isOwn = kept && kept.userId === session?.user?.user_id && Date.parse(kept.expiresAt) > Date.now();
  if (kept && !isOwn) sessionStorage.removeItem(KEPT);
  if (!session?.user) return;
  const place = element('aside', { class: 'own-key', 'aria-label': 'Your key in the samples' });
  first.before(place);
  if (isOwn) showKey(kept);
  else offer();

  function offer() {
    const about = `You are signed in as ${session.user.email}. The samples can have a key of yours: it only reads, ends after a day, and stays in this tab.`;
    show(about, 'Make a key for these samples', async () => {
      const expiresAt = new Date(Date.now() + DAY_MS).toISOString();
      const body = { name: 'Samples in the documentation', scopes: SCOPES, expires_at: expiresAt };
      const { key_id: keyId, key } = await ask('POST', '', body);
      const made = { userId: session.user.user_id, keyId, key, expiresAt };
      sessionStorage.setItem(KEPT, JSON.stringify(made));
      showKey(made);
    });
  }

  function showKey({ key, keyId, expiresAt }) {
    fillSamples(key);
    const until = new Date(expiresAt).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' });
    show(
      `The samples have a key of yours, ${key.slice(0, 15)}…, which only reads, until ${until}.`,
      'Revoke the key',
      async () => {
        // A key that was revoked elsewhere is gone.
        await ask('DELETE', `/${keyId}`).catch((error) => {
          if (error.status !== 404) throw error;
        });
        sessionStorage.removeItem(KEPT);
        fillSamples(null);
        offer();
      },
    );
  }

  /** Shows a text and a button. An error is shown below it. */
  function show(about, label, act) {
    const button = element('button', { type: 'button' }, label);
    const wrong = element('p', { class: 'wrong', role: 'alert' });
    const had = place.contains(document.activeElement);
    place.replaceChildren(element('p', { role: 'status' }, about), button, wrong);
    if (had) button.focus();
    button.addEventListener('click', async () => {
      wrong.textContent = '';
      button.setAttribute('aria-disabled', 'true');
      await act().catch((error) => {
        wrong.textContent = error.message;
      });
      button.removeAttribute('aria-disabled');
    });
  }

  async function ask(method, path, body) {
    const response = await fetch(`/dashboard/v1/keys${path}`, {
      method,
      headers: { 'X-CSRF-Token': session.csrf_token, ...(body && { 'Content-Type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    const answer = await response.json();
    if (response.ok) return answer;
    throw Object.assign(new Error(`${response.status} ${answer.error}`), { status: response.status });
  }
}

const sessionNow = () =>
  fetch('/dashboard/session')
    .then((response) => (response.ok ? response.json() : null))
    .catch(() => null);

function keptKey() {
  // A browser may keep nothing for a page.
  try {
    return JSON.parse(sessionStorage.getItem(KEPT));
  } catch {
    return null;
  }
}

/** Lines before the samples of a client, which otherwise begin with its call. */
const CLIENTS = {
  TypeScript: (key) =>
    `import { EnergyClient } from 'energy-usage-client';\n\nconst energy = new EnergyClient({ key: '${key}', baseUrl: '${location.origin}' });\n`,
  Python: (key) =>
    `from energy_usage import EnergyClient\n\nenergy = EnergyClient("${key}", base_url="${location.origin}")\n`,
};

/** The samples as they were served. */
const originals = new Map();

/** Writes a key and the address of this service into all samples; null restores them. */
function fillSamples(key) {
  for (const panel of document.querySelectorAll('.samples [data-language]')) {
    const code = panel.querySelector('pre code');
    if (!originals.has(code)) originals.set(code, code.innerHTML);
    code.innerHTML = originals.get(code);
    if (key === null) continue;
    const texts = document.createTreeWalker(code, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const { currentNode: node } = texts;
      node.data = node.data.replaceAll('$ENERGY_URL', location.origin).replaceAll('$ENERGY_KEY', key);
    }
    const begin = CLIENTS[panel.dataset.language];
    if (begin) code.prepend(begin(key));
  }
}
