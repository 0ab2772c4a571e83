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
 * its id. Null where there is none, or it is deleted, or registered with another certificate, or several are named.
 */
export async function loginOfCertificate(db: Database, { sha256, names }: CertificateNames): Promise<string | null> {
  const named = sql<string>`ANY (${[...names]}::text[])`;
  const devices = await db
    .selectFrom('devices')
    .select(['device_id', 'certificate_sha256'])
    .where('deleted_at', 'is', null)
    .where(({ and, eb, or }) =>
      or([
        eb('certificate_sha256', '=', Buffer.from(sha256, 'hex')),
        and([eb('device_id', '=', named), eb('certificate_sha256', 'is', null)]),
      ]),
    )
    .execute();
  const registered = devices.find(({ certificate_sha256 }) => certificate_sha256 !== null);
  if (registered) return registered.device_id;
  const gateways = await db.selectFrom('gateways').select('gateway_id').where('gateway_id', '=', named).execute();
  const logins = [...devices.map(({ device_id }) => device_id), ...gateways.map(({ gateway_id }) => gateway_id)];
  return logins.length === 1 ? (logins[0] as string) : null;
}

/** Which logins are no longer those of the certificates that they came with: deleted, or another certificate is registered. */
export async function endedCertificates(
  db: Database,
  sessions: readonly (CertificateNames & { username: string })[],
): Promise<string[]> {
  const asked = JSON.stringify(
    sessions.map(({ username, sha256, names }) => ({ username, sha256, named: names.includes(username) })),
  );
  // Raw SQL: looks for what is not there among any number of names, in one statement.
  const { rows } = await sql<{ sha256: string }>`
    SELECT a.sha256 FROM jsonb_to_recordset(${asked}::jsonb) a (username text, sha256 text, named boolean)
    WHERE NOT EXISTS (SELECT FROM devices d WHERE d.device_id = a.username AND d.deleted_at IS NULL
        AND (d.certificate_sha256 = decode(a.sha256, 'hex') OR a.named AND d.certificate_sha256 IS NULL))
      AND NOT EXISTS (SELECT FROM gateways g WHERE g.gateway_id = a.username AND a.named)`.execute(db);
  return rows.map((row) => row.sha256);
}
