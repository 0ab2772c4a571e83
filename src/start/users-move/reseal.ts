import { secretBox } from '#src/core/secret-box.ts';
import { queryOn } from '#src/database/connect.ts';
import { sealedSamples } from '#src/database/sealed.ts';
import { opens } from '../secret-key.ts';
import type { Both } from './ends.ts';

/** What the two installations seal with. */
export interface Secrets {
  source: string;
  target: string;
}

/** Throws where one of the secrets opens nothing of what its installation has sealed. */
export async function mustOpen({ source, target }: Both, secrets: Secrets): Promise<void> {
  for (const [{ pool }, secret, what] of [
    [source, secrets.source, 'SECRET_KEY (or secret.key) of this installation'],
    [target, secrets.target, 'The file of --to-secret-key'],
  ] as const) {
    const samples = await sealedSamples(queryOn(pool));
    const box = secretBox(secret);
    if (samples.length > 0 && !samples.some((sealed) => opens(box, sealed)))
      throw new Error(
        `${what} does not open what the installation has sealed: it is another one's. Nothing was changed.`,
      );
  }
}

/** Opens what the one installation sealed, and seals it as the other does. Throws where it cannot be opened. */
export function resealing(secrets: Secrets): (sealed: Buffer) => Buffer {
  const [from, to] = [secretBox(secrets.source), secretBox(secrets.target)];
  return (sealed) => to.seal(from.open(sealed));
}
