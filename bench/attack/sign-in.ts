import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import PostalMime from 'postal-mime';
import { type HttpResponse, sendRequest } from './client.ts';
import { type AttackedInstallation, pause } from './world.ts';

/** Returns the captured mails to an address, in no particular order. */
export async function findMailsTo(
  world: AttackedInstallation,
  email: string,
): Promise<{ subject: string; text: string }[]> {
  const folder = join(world.target.dataDir as string, 'mail');
  const names = (await readdir(folder).catch(() => [])).filter((one) => one.endsWith('.eml'));
  const mails = await Promise.all(names.map(async (name) => PostalMime.parse(await readFile(join(folder, name)))));
  return mails
    .filter(({ to }) => to?.some(({ address }) => address === email))
    .map(({ subject = '', text = '' }) => ({ subject, text }));
}

export const requestSignIn = (world: AttackedInstallation, email: string, from: string): Promise<HttpResponse> =>
  sendRequest(world.target.api, 'POST', '/dashboard/sign-in', { body: { email }, from });

/** Returns the tokens of the sign-in links that were mailed to an address. */
async function tokensTo(world: AttackedInstallation, email: string): Promise<string[]> {
  return (await findMailsTo(world, email)).flatMap(({ text }) => /\/dashboard\/sign-in#(\S+)/.exec(text)?.[1] ?? []);
}

/**
 * Requests a sign-in link and waits for the mail. Returns the token of the link, and the response to the request. Rejects if no mail comes.
 */
export async function requestMailedToken(
  world: AttackedInstallation,
  email: string,
  from: string,
): Promise<{ token: string; answer: HttpResponse }> {
  const before = new Set(await tokensTo(world, email));
  const answer = await requestSignIn(world, email, from);
  for (let turn = 0; turn < 100; turn++) {
    const token = (await tokensTo(world, email)).find((one) => !before.has(one));
    if (token !== undefined) return { token, answer };
    await pause(50);
  }
  throw new Error(`no sign-in mail to ${email}`);
}

/**
 * Waits for the mail with which a person confirms a changed e-mail address, and returns the token of its link. Rejects if no mail comes.
 */
export async function waitForConfirmationToken(world: AttackedInstallation, email: string): Promise<string> {
  for (let turn = 0; turn < 150; turn++) {
    for (const { text } of await findMailsTo(world, email)) {
      const token = /\/dashboard\/email#(\S+)/.exec(text)?.[1];
      if (token !== undefined) return token;
    }
    await pause(100);
  }
  throw new Error(`no mail to ${email} that confirms it`);
}

export const confirmEmail = (world: AttackedInstallation, token: string): Promise<HttpResponse> =>
  world.ask('POST', '/dashboard/email', { body: { token }, from: world.address() });

/** Headers that the browser of a signed-in person sends. */
export interface Session {
  cookie: string;
  'x-csrf-token': string;
}

export async function openSession(world: AttackedInstallation, token: string, from: string): Promise<Session | null> {
  const answer = await sendRequest(world.target.api, 'POST', '/dashboard/session', { body: { token }, from });
  if (answer.status !== 201) return null;
  const cookie = /__Secure-energy_session=[^;]+/.exec(String(answer.headers['set-cookie']))?.[0] ?? '';
  return { cookie, 'x-csrf-token': answer.json.csrf_token };
}

/** Signs in as a person does: requests a mail and follows its link. */
export async function signIn(world: AttackedInstallation, email: string): Promise<Session> {
  const from = world.address();
  const { token } = await requestMailedToken(world, email, from);
  const session = await openSession(world, token, from);
  if (!session) throw new Error('the mailed link does not sign in');
  return session;
}

export const requestSessionStatus = async (world: AttackedInstallation, session: Session): Promise<number> =>
  (await world.ask('GET', '/dashboard/v1/devices', { headers: { ...session } })).status;
