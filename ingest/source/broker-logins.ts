import type { Socket } from 'node:net';
import type { AuthenticateError } from 'aedes';
import { type DeviceLoginOwner, hashSecret, type LoginCredentials } from '#src/devices/credentials.ts';
import type { LoginProcessRegistry } from '#src/devices/login-processes.ts';
import type { BrokerConnection, BrokerSession, SessionLogin } from './broker-session.ts';
import { MAX_METER_CLAIM_CONNECTION_MS, type MeterClaimOptions } from './claiming.ts';
import { type ClientCertificate, findClientCertificate } from './client-certificate.ts';
import { REASON_CODES } from './reason-codes.ts';

/** Callbacks for logins with client certificates. */
export interface ClientCertificates {
  /** Certificates (PEM) of the authorities that sign client certificates. */
  ca: Buffer;
  /** Returns the device or gateway to which a client certificate belongs, and its account. Null if the certificate is not registered. */
  loginOf(certificate: ClientCertificate): Promise<{ username: string; owner: DeviceLoginOwner } | null>;
  /** Returns the SHA-256 fingerprints of certificates that are no longer valid for the device or gateway of their session. */
  ended(sessions: readonly (ClientCertificate & { username: string })[]): Promise<readonly string[]>;
}

export interface LoginCheckOptions {
  /** Returns the account of a device or gateway with this id and secret. Null if there is none. */
  findLogin(username: string, secret: string): Promise<DeviceLoginOwner | null>;
  /** Returns those logins by password that would now be refused. */
  endedLogins<T extends LoginCredentials>(logins: readonly T[]): Promise<readonly T[]>;
  /** Without these callbacks, clients cannot log in by certificate. */
  certificates?: ClientCertificates;
  /** Handlers for meters that claim their identity. Without them, claims are refused. */
  claims?: MeterClaimOptions;
  /** Registry that records to which process each device is connected. Undefined if there is only one process. */
  places?: LoginProcessRegistry;
}

/**
 * Creates a function that finds the device or gateway of a new connection, by certificate or by name and password. It returns null if the
 * login is refused.
 */
export const createLoginFinder =
  ({ findLogin, certificates, claims }: LoginCheckOptions) =>
  async (client: BrokerConnection, name: string, password: string): Promise<SessionLogin | null> => {
    const certificate = certificates ? findClientCertificate(client.conn as Socket) : null;
    if (certificate === 'refused') return null;
    const found = certificate && (await certificates?.loginOf(certificate));
    if (found && (name === '' || name === found.username)) return { ...found, certificate, secretSha256: null };
    // A certificate that contains this device's name is valid only for this device. If it contains no such name, a stranger may have
    // registered it, so its holder can still log in by password.
    if (found && certificate?.names.includes(found.username)) return null;
    const isBatch = claims !== undefined && name.startsWith(claims.prefix);
    const owner = isBatch ? null : await findLogin(name, password);
    const isRight = isBatch ? await claims.check(name, password) : owner !== null;
    return isRight ? { username: name, owner, certificate: null, secretSha256: hashSecret(password) } : null;
  };

/** Ends connections whose login is no longer valid, and those of meters that take too long to claim their identity. */
export async function disconnectInvalidLogins(
  sessions: ReadonlySet<BrokerSession>,
  { endedLogins, certificates }: LoginCheckOptions,
): Promise<void> {
  const [nowMs, monotonicMs] = [Date.now(), performance.now()];
  for (const session of sessions) {
    const { by, claiming } = session;
    const isLate = monotonicMs - (claiming?.sinceMs ?? monotonicMs) > MAX_METER_CLAIM_CONNECTION_MS;
    if (isLate || nowMs > (by.certificate?.validToMs ?? nowMs)) session.end(REASON_CODES.notAuthorised);
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
    if (certificate ? gone.has(certificate.sha256) : ended.has(session)) session.end(REASON_CODES.notAuthorised);
  }
}

/** Refuses a login. An MQTT 5 client receives a reason code, an MQTT 3.1.1 client a return code (3.2.2.3). */
export function refuseLogin(
  { version5 }: BrokerConnection,
  reasonCode: number,
  done: (error: AuthenticateError, isAccepted: boolean) => void,
): void {
  if (version5) version5.refusal = reasonCode;
  const isBad = reasonCode === REASON_CODES.badPassword;
  const error = new Error(isBad ? 'bad user name or password' : 'server unavailable');
  done(Object.assign(error, { returnCode: isBad ? 4 : 3 }), false);
}

/** Minimum time in ms between two log lines about the same login. */
const LOG_EVERY_MS = 60_000;
const MAX_LOGGED = 10_000;

/** Creates a log of refused logins that writes at most one line per minute and login. */
export function createLoginRefusalLog(log: { warn(values: object, why: string): void }) {
  const loggedAtMs = new Map<string, number>();
  return (username: string, why: string, topic?: string): void => {
    const nowMs = performance.now();
    if (nowMs - (loggedAtMs.get(username) ?? Number.NEGATIVE_INFINITY) < LOG_EVERY_MS) return;
    if (loggedAtMs.size === MAX_LOGGED) loggedAtMs.clear();
    loggedAtMs.set(username, nowMs);
    log.warn({ username, topic: topic?.slice(0, 200) }, why);
  };
}
