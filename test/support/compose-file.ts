import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parse } from 'yaml';

const deploy = resolve(import.meta.dirname, '../../deploy');
const read = (name: string) => readFileSync(resolve(deploy, name), 'utf8');

export interface ComposeService {
  image: string;
  command?: string[];
  environment?: Record<string, string>;
  env_file?: string[];
  ports?: string[];
  volumes?: string[];
  profiles?: string[];
  /** By name, or with the container's aliases and address in each network. */
  networks?: string[] | Record<string, { aliases?: string[]; ipv4_address?: string } | null>;
  healthcheck?: { test?: string[] };
  read_only?: boolean;
  tmpfs?: string[];
  stop_grace_period?: string;
}

/**
 * Reads a compose file of deploy/ (`folder`: '', 'cluster/' or 'home/') as docker compose does, with the variables of the .env.example next
 * to it, some of which `filled` sets.
 */
export function composeFile(
  filled: Record<string, string>,
  folder: '' | 'cluster/' | 'home/' = '',
): { services: Record<string, ComposeService> } {
  const example = [...read(`${folder}.env.example`).matchAll(/^(\w+)=(.*)$/gm)].map(([, name, value]) => [name, value]);
  const given: Record<string, string | undefined> = { ...Object.fromEntries(example), ...filled };
  // ${NAME}, ${NAME:-default} and ${NAME:?message}: with the colon an empty variable counts as unset. ${NAME} may be empty.
  const interpolated = read(`${folder}compose.yaml`).replaceAll(
    /(?<!\$)\$\{(\w+)(?::([-?])([^}]*))?\}/g,
    (_all, name, kind, rest) => {
      const value = given[name] || (kind === '-' ? rest : kind === '?' ? undefined : '');
      if (value === undefined) throw new Error(`${name} is not set: ${rest}`);
      return value;
    },
  );
  return parse(interpolated, { merge: true });
}

/** Folders that deploy/Dockerfile copies into the image in addition to packages, and its entry point. */
export function readImageContents(): { folders: string[]; entrypoint: string[] } {
  const text = read('Dockerfile');
  const folders = [...text.matchAll(/^COPY (\w+) \1$/gm)].map(([, folder = '']) => folder);
  const [, entrypoint = '[]'] = /^ENTRYPOINT (.+)$/m.exec(text) ?? [];
  return { folders, entrypoint: JSON.parse(entrypoint) };
}
