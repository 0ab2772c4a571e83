import type { Check } from '../finding.ts';
import { aggregates } from './aggregates.ts';
import { broker } from './broker.ts';
import { certificate } from './certificate.ts';
import { clock } from './clock.ts';
import { configuration } from './configuration.ts';
import { database } from './database.ts';
import { descriptors } from './descriptors.ts';
import { disk } from './disk.ts';
import { files } from './files.ts';
import { mail } from './mail.ts';
import { outbox } from './outbox.ts';
import { ports } from './ports.ts';
import { rejected } from './rejected.ts';
import { schema } from './schema.ts';
import { secretKey } from './secret-key.ts';
import { service } from './service.ts';
import { silence } from './silence.ts';

/** All of them, in the order of a report: what others stand on comes first. */
export const CHECKS: readonly Check[] = [
  configuration,
  service,
  files,
  disk,
  descriptors,
  ports,
  database,
  schema,
  clock,
  secretKey,
  certificate,
  broker,
  mail,
  silence,
  rejected,
  outbox,
  aggregates,
];
