import type { Socket } from 'node:net';
import type { AuthenticateError } from 'aedes';
import { type Login, type LoginAccount, secretDigest } from '#src/devices/credentials.ts';
import type { Connection, LoggedIn, Session } from './broker-session.ts';
import { type Claims, MAX_CLAIMING_MS } from './claiming.ts';
import { type ClientCertificate, certificateOf } from './client-certificate.ts';

/** How logins are decided. */
export interface LoginOptions {
  /** Whose device or gateway it is; null where its id and the secret do not belong together. */
  findLogin(username: string, secret: string): Promise<LoginAccount | null>;
  /** Those of the logins by a password that would be refused now. */
  endedLogins<T extends Login>(logins: readonly T[]): Promise<readonly T[]>;
  /** Where clients may log in by certificates: who vouches for these, and whose they are. */
  certificates?: {
    /** PEM. */
    ca: Buffer;
    /** The device or gateway that a certificate is, and whose that is; null where it is nobody's. */
    loginOf(certificate: ClientCertificate): Promise<{ username: string; owner: LoginAccount } | null>;
    /** Which certificates, by their SHA-256, are no longer those of the logins that came with them. */
    ended(sessions: readonly (ClientCertificate & { username: string })[]): Promise<readonly string[]>;
  };
  /** Where meters may claim their identities. */
  claims?: Claims;
}

/**
 * Answers whose a connection is: the device of its certificate, unless it gives another name; else of the name and the password that belong
 * together. Null: nobody's.
 */
export const loginFinder =
  ({ findLogin, certificates, claims }: LoginOptions) =>
  async (client: Connection, name: string, password: string): Promise<LoggedIn | null> => {
    const certificate = certificates ? certificateOf(client.conn as unknown as Socket) : null;
    if (certificate === 'refused') return null;
    const found = certificate && (await certificates?.loginOf(certificate));
    if (found && (name === '' || name === found.username)) return { ...found, certificate, secretSha256: null };
    // A certificate that names its device is that device's alone. One that is only registered may be a stranger's, who is not locked out by it.
    if (found && certificate?.names.includes(found.username)) return null;
    const isBatch = claims !== undefined && name.startsWith(claims.prefix);
    const owner = isBatch ? null : await findLogin(name, password);
    const isRight = isBatch ? await claims.check(name, password) : owner !== null;
    return isRight ? { username: name, owner, certificate: null, secretSha256: secretDigest(password) } : null;
  };

/** Ends the connections whose login is no longer what it was, and of meters that claimed for too long. */
export async function endSessions(
  sessions: ReadonlySet<Session>,
  { endedLogins, certificates }: LoginOptions,
): Promise<void> {
  const [nowMs, monotonicMs] = [Date.now(), performance.now()];
  for (const session of sessions) {
    const { by, claiming } = session;
    const isLate = monotonicMs - (claiming?.sinceMs ?? monotonicMs) > MAX_CLAIMING_MS;
    if (isLate || nowMs > (by.certificate?.validToMs ?? nowMs)) session.end();
  }
  const open = [...sessions];
  const byPassword = open.flatMap((session) => {
    const { username, secretSha256 } = session.by;
    return secretSha256 && !session.claiming ? { username, secretSha256, session } : [];
  });
  const ended = new Set((byPassword.length > 0 ? await endedLogins(byPassword) : []).map(({ session }) => session));
  const certified = open.flatMap(({ by }) => (by.certificate ? { ...by.certificate, username: by.username } : []));
  const gone = new Set(certified.length > 0 ? await certificates?.ended(certified) : []);
  for (const session of open) {
    const { certificate } = session.by;
    if (certificate ? gone.has(certificate.sha256) : ended.has(session)) session.end();
  }
}

/** CONNACK return codes (MQTT 3.1.1, 3.2.2.3): 3 server unavailable, 4 bad user name or password. */
export function refused(returnCode: 3 | 4): AuthenticateError {
  return Object.assign(new Error(returnCode === 4 ? 'bad user name or password' : 'server unavailable'), {
    returnCode,
  });
}

/** How often what is refused of a login is logged, and of how many logins that is remembered. */
const LOG_EVERY_MS = 60_000;
const MAX_LOGGED = 10_000;

/** Logs what is refused of a login: a device whose topic has a typo connects and publishes again each second, and has one line in a minute. */
export function refusalLog(log: { warn(values: object, why: string): void }) {
  const loggedAtMs = new Map<string, number>();
  return (username: string, why: string, topic?: string): void => {
    const nowMs = performance.now();
    if (nowMs - (loggedAtMs.get(username) ?? Number.NEGATIVE_INFINITY) < LOG_EVERY_MS) return;
    if (loggedAtMs.size === MAX_LOGGED) loggedAtMs.clear();
    loggedAtMs.set(username, nowMs);
    log.warn({ username, topic: topic?.slice(0, 200) }, why);
  };
}
