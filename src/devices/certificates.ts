import { sql } from 'kysely';
import type { Database } from '#src/database/connect.ts';

/** A client certificate that an authority of ours vouches for, as far as it says which device it is. */
export interface CertificateNames {
  /** SHA-256 of it, in hex. */
  sha256: string;
  /** Its common name, and the DNS names among its alternative ones. */
  names: readonly string[];
}

/**
 * Which device or gateway a certificate is: the device that it is registered with (`certificate_sha256`), else the one that it names by
 * its id. A certificate that names a device or gateway is no other one's, whoever registered it. Null where there is none, or it is deleted,
 * or registered with another certificate, or several are named.
 */
export async function loginOfCertificate(db: Database, { sha256, names }: CertificateNames): Promise<string | null> {
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

/** Which logins are no longer those of the certificates that they came with (`loginOfCertificate`): deleted, or another certificate is registered. */
export async function endedCertificates(
  db: Database,
  sessions: readonly (CertificateNames & { username: string })[],
): Promise<string[]> {
  const asked = JSON.stringify(sessions.map(({ username, sha256, names }) => ({ username, sha256, names })));
  // Raw SQL: looks for what is not there among any number of names, in one statement.
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
