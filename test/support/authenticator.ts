import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';

/** The fields of the service's passkey creation options that the authenticator uses. */
interface CreationOptions {
  challenge: string;
  rp: { id: string };
  user: { id: string };
}

/** Values that replace parts of an authenticator's response, as an attacker would. */
export interface ForgedResponse {
  challenge?: string;
  origin?: string;
  /** Host name whose digest the authenticator signs. */
  host?: string;
  counter?: number;
  isVerified?: boolean;
  type?: string;
  credentialId?: string;
  /** User handle (account id) that the passkey returns. */
  userId?: string;
  /** Attestation format that a new passkey reports. */
  format?: string;
}

const base64url = (bytes: Buffer | string) => Buffer.from(bytes).toString('base64url');
const sha256 = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest();
const text = (value: string) => Buffer.concat([Buffer.from([0x60 + value.length]), Buffer.from(value)]);

/** A WebAuthn Level 3 authenticator with one passkey (ECDSA with P-256). It can forge each part of its responses. */
export function createAuthenticator(origin: string) {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const id = base64url(randomBytes(32));
  const { hostname } = new URL(origin);
  let [counter, userHandle] = [0, ''];

  const clientData = (type: string, challenge: string, forged: ForgedResponse) =>
    Buffer.from(
      JSON.stringify({
        type: forged.type ?? type,
        challenge: forged.challenge ?? challenge,
        origin: forged.origin ?? origin,
        crossOrigin: false,
      }),
    );
  /** Returns the authenticator data (WebAuthn 6.1). */
  const data = (forged: ForgedResponse, attested?: Buffer) => {
    const flags = 0x01 | (forged.isVerified === false ? 0 : 0x04) | (attested ? 0x40 : 0);
    const count = Buffer.alloc(4);
    count.writeUInt32BE(forged.counter ?? counter);
    return Buffer.concat([sha256(forged.host ?? hostname), Buffer.from([flags]), count, attested ?? Buffer.alloc(0)]);
  };
  /** Returns the attested credential data (WebAuthn 6.5.1), with the public key in COSE format. */
  const attested = () => {
    const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
    const idBytes = Buffer.from(id, 'base64url');
    const key = [
      Buffer.from('a5010203262001215820', 'hex'),
      Buffer.from(x, 'base64url'),
      Buffer.from('225820', 'hex'),
      Buffer.from(y, 'base64url'),
    ];
    return Buffer.concat([Buffer.alloc(16), Buffer.from([0, idBytes.length]), idBytes, ...key]);
  };

  return {
    id,
    /** Makes the passkey. */
    create({ challenge, user }: CreationOptions, forged: ForgedResponse = {}) {
      userHandle = user.id;
      const authData = data(forged, attested());
      const length = Buffer.from([0x58, authData.length]);
      const members = [
        text('fmt'),
        text(forged.format ?? 'none'),
        text('attStmt'),
        Buffer.from([0xa0]),
        text('authData'),
      ];
      const attestationObject = Buffer.concat([Buffer.from([0xa3]), ...members, length, authData]);
      return {
        id,
        rawId: id,
        type: 'public-key',
        authenticatorAttachment: 'platform',
        clientExtensionResults: {},
        response: {
          clientDataJSON: base64url(clientData('webauthn.create', challenge, forged)),
          attestationObject: base64url(attestationObject),
          transports: ['internal'],
        },
      };
    },
    /** Signs a challenge. The counter in the response increases by one with each signature. */
    sign({ challenge }: { challenge: string }, forged: ForgedResponse = {}) {
      counter++;
      const [client, authData] = [clientData('webauthn.get', challenge, forged), data(forged)];
      const credentialId = forged.credentialId ?? id;
      return {
        id: credentialId,
        rawId: credentialId,
        type: 'public-key',
        clientExtensionResults: {},
        response: {
          clientDataJSON: base64url(client),
          authenticatorData: base64url(authData),
          signature: base64url(sign('sha256', Buffer.concat([authData, sha256(client)]), privateKey)),
          userHandle: forged.userId === undefined ? userHandle : base64url(forged.userId),
        },
      };
    },
  };
}
