import { type Config, ConfigError } from '#src/config/load.ts';
import { verifySmtp } from '#src/delivery/email/verify.ts';
import { runningOn } from '#src/start/data-dir-lock.ts';
import { loadConfigBeside } from '#src/start/listening.ts';
import type { Facts } from '../facts.ts';
import { gatherBroker } from './broker.ts';
import { gatherCertificate } from './certificate.ts';
import { gatherDatabase } from './database.ts';
import { gatherFiles } from './files.ts';
import { gatherDescriptors, gatherDisk } from './machine.ts';
import { gatherPorts } from './ports.ts';
import { gatherSecretKey } from './secret-key.ts';
import { ANSWER_MS, within } from './within.ts';

/** Looks at everything at once: reads, connects and leaves, changes nothing. Takes as long as the slowest, some 12 s at most. */
export async function gather(): Promise<Facts> {
  const config = readConfig();
  if (!('valid' in config))
    return { ...NOTHING, nowMs: Date.now(), config, descriptors: await gatherDescriptors(null) };
  const { valid } = config;
  const pid = runningOn(valid.dataDir);
  const [{ facts: database, sealed }, broker, mail, disk, certificate, ports, files, descriptors] = await Promise.all([
    gatherDatabase(valid),
    gatherBroker(valid),
    gatherMail(valid),
    gatherDisk(valid.dataDir),
    gatherCertificate(valid),
    gatherPorts(valid),
    gatherFiles(valid),
    gatherDescriptors(pid),
  ]);
  const secretKey = await gatherSecretKey(valid, sealed);
  const service = pid === null ? null : { pid };
  const nowMs = Date.now();
  return { nowMs, config, service, database, disk, broker, certificate, mail, secretKey, ports, files, descriptors };
}

const NOTHING = {
  service: null,
  database: null,
  disk: null,
  broker: null,
  certificate: null,
  mail: null,
  secretKey: null,
  ports: null,
  files: null,
};

function readConfig(): Facts['config'] {
  try {
    return { valid: loadConfigBeside() };
  } catch (error) {
    if (error instanceof ConfigError) return { mistakes: error.message.split('\n') };
    throw error;
  }
}

/** Null where mails are files. */
async function gatherMail({ environment, mail }: Config): Promise<Facts['mail']> {
  const { smtpUrl } = mail;
  if (smtpUrl === undefined || environment !== 'live') return null;
  return within(async () => {
    await verifySmtp(smtpUrl, ANSWER_MS);
    return { reached: true as const };
  });
}
