import { sql } from 'kysely';
import type { Database } from '#src/database/connect.ts';

/** A client certificate that a trusted authority has signed. */
interface CertificateIdentity {
  /** SHA-256 fingerprint of the certificate, in hex. */
  sha256: string;
  /** The common name of the certificate and its DNS alternative names. */
  names: readonly string[];
}

/**
 * Returns the device or gateway that a certificate identifies: the one with which it is registered (`certificate_sha256`), otherwise the
 * one whose id is among the names in the certificate. Null if there is none, if the certificate contains several ids or the id of another
 * device, or if the device is registered with another certificate.
 */
export async function findLoginOfCertificate(
  db: Database,
  { sha256, names }: CertificateIdentity,
): Promise<string | null> {
  const digest = Buffer.from(sha256, 'hex');
  const isNamed = sql<string>`ANY (${[...names]}::text[])`;
  const devices = await db
    .selectFrom('devices')
    .select(['device_id', 'certificate_sha256'])
    .where('deleted_at', 'is', null)
    .where(({ eb, or }) => or([eb('certificate_sha256', '=', digest), eb('device_id', '=', isNamed)]))
    .execute();
  const gateways = await db.selectFrom('gateways').select('gateway_id').where('gateway_id', '=', isNamed).execute();
  const named = devices.filter(({ device_id }) => names.includes(device_id));
  const registered = devices.find(({ certificate_sha256 }) => certificate_sha256?.equals(digest));
  if (registered && (named.includes(registered) || named.length + gateways.length === 0)) return registered.device_id;
  const free = named.filter(({ certificate_sha256 }) => certificate_sha256 === null);
  const logins = [...free.map(({ device_id }) => device_id), ...gateways.map(({ gateway_id }) => gateway_id)];
  return logins.length === 1 ? (logins[0] as string) : null;
}

/**
 * Returns the SHA-256 fingerprints of the certificates that no longer identify their login, because the device or gateway was deleted or
 * got another certificate.
 */
export async function findInvalidCertificates(
  db: Database,
  sessions: readonly (CertificateIdentity & { username: string })[],
): Promise<string[]> {
  const asked = JSON.stringify(sessions.map(({ username, sha256, names }) => ({ username, sha256, names })));
  // Raw SQL: an anti-join with any number of logins.
  const { rows } = await sql<{ sha256: string }>`
    SELECT a.sha256 FROM jsonb_to_recordset(${asked}::jsonb) a (username text, sha256 text, names text[])
    WHERE NOT EXISTS (SELECT FROM devices d WHERE d.device_id = a.username AND d.deleted_at IS NULL
        AND CASE WHEN d.device_id = ANY (a.names) THEN coalesce(d.certificate_sha256 = decode(a.sha256, 'hex'), true)
          ELSE d.certificate_sha256 = decode(a.sha256, 'hex')
            AND NOT EXISTS (SELECT FROM devices n WHERE n.device_id = ANY (a.names) AND n.deleted_at IS NULL)
            AND NOT EXISTS (SELECT FROM gateways n WHERE n.gateway_id = ANY (a.names)) END)
      AND NOT EXISTS (SELECT FROM gateways g WHERE g.gateway_id = a.username AND g.gateway_id = ANY (a.names))`.execute(
    db,
  );
  return rows.map((row) => row.sha256);
}
