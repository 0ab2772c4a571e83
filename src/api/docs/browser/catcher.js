const PATIENCE_MS = 20_000;
const LOOK_EVERY_MS = 700;

/** Lets a reader see his first event on the page: subscribes the callback that the service answers itself, and shows what it was sent. */
export function catcher(place, element) {
  const key = element('input', {
    id: 'catcher-key',
    type: 'password',
    autocomplete: 'off',
    spellcheck: 'false',
    required: '',
  });
  const button = element('button', { type: 'submit' }, 'Send me an event');
  const form = element(
    'form',
    {},
    element('label', { for: 'catcher-key' }, 'An API key of yours (it stays in this page)'),
    key,
    button,
  );
  const said = element('div', { role: 'status' });
  place.replaceChildren(form, said);
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    button.disabled = true;
    const tell = (...what) => said.replaceChildren(...what);
    try {
      await catchOne(key.value.trim(), tell, element);
    } catch (error) {
      tell(element('p', { class: 'wrong' }, error.message));
    } finally {
      button.disabled = false;
    }
  });
}

async function catchOne(key, tell, element) {
  const ask = async (method, path, body) => {
    const response = await fetch(`/v1/webhooks${path}`, {
      method,
      headers: { Authorization: `Bearer ${key}`, ...(body && { 'Content-Type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    const answer = await response.json();
    if (response.ok) return answer;
    const why = (answer.details ?? []).map(({ field, message }) => `${field} ${message}`).join('; ');
    throw new Error(`${response.status} ${answer.error}${why === '' ? '' : `: ${why}`}`);
  };
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  const secret = `whsec_${btoa(String.fromCharCode(...bytes))}`;
  tell(element('p', {}, 'Subscribing …'));
  const hook = await ask('POST', '', {
    event: 'device.connected',
    url: 'https://catcher.example/docs',
    auth_token: secret,
  });
  try {
    const { delivery_id } = await ask('POST', `/${hook.webhook_id}/test`);
    tell(element('p', {}, 'Sent. Waiting for it …'));
    for (const until = Date.now() + PATIENCE_MS; ; ) {
      const delivery = await ask('GET', `/${hook.webhook_id}/deliveries/${delivery_id}`);
      if (delivery.status === 'succeeded') return tell(...(await shown(delivery, bytes, element)));
      if (Date.now() > until) throw new Error('It was not delivered within 20 seconds: is a worker running?');
      await new Promise((done) => setTimeout(done, LOOK_EVERY_MS));
    }
  } finally {
    await ask('DELETE', `/${hook.webhook_id}`);
  }
}

async function shown({ request, attempts }, secret, element) {
  const { headers, body, url } = request;
  const lines = [`POST ${url}`, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`)];
  const signed = new TextEncoder().encode(`${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`);
  const imported = await crypto.subtle.importKey('raw', secret, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
  const signature = Uint8Array.from(atob((headers['webhook-signature'] ?? '').slice(3)), (one) => one.charCodeAt(0));
  const isRight = await crypto.subtle.verify('HMAC', imported, signature, signed);
  const block = (label, text) =>
    element('pre', { tabindex: '0', role: 'group', 'aria-label': label }, element('code', {}, text));
  return [
    element(
      'p',
      { class: isRight ? 'right' : 'wrong' },
      isRight ? 'Your first event. Its signature is right.' : 'Its signature is wrong.',
    ),
    block('Headers of the event', lines.join('\n')),
    block('Body of the event', JSON.stringify(JSON.parse(body), null, 2)),
    element('p', { class: 'quiet' }, `It took ${attempts.at(-1).duration_ms} ms. The subscription was removed again.`),
  ];
}
