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
  /** Networks of the service: a list of their names, or an object with the container's aliases in each network. */
  networks?: string[] | Record<string, { aliases?: string[] } | null>;
  healthcheck?: { test?: string[] };
  read_only?: boolean;
  tmpfs?: string[];
  stop_grace_period?: string;
}

interface ComposeNetwork {
  ipam?: { config?: { subnet?: string }[] };
}

/**
 * Reads a compose file of deploy/ like docker compose. `folder`: '', 'cluster/' or 'home/'. Variables come from the .env.example in this
 * folder; `filled` replaces some of them. If COMPOSE_FILE names several files, later ones take precedence.
 */
export function readComposeFile(
  filled: Record<string, string>,
  folder: '' | 'cluster/' | 'home/' = '',
): { services: Record<string, ComposeService>; networks: Record<string, ComposeNetwork | null> } {
  const example = [...read(`${folder}.env.example`).matchAll(/^(\w+)=(.*)$/gm)].map(([, name, value]) => [name, value]);
  const variables: Record<string, string | undefined> = { ...Object.fromEntries(example), ...filled };
  // Replaces ${NAME}, ${NAME:-default} and ${NAME:?message}. The forms with a colon treat an empty variable as unset.
  const interpolate = (text: string) =>
    text.replaceAll(/(?<!\$)\$\{(\w+)(?::([-?])([^}]*))?\}/g, (_all, name, kind, rest) => {
      const value = variables[name] || (kind === '-' ? rest : kind === '?' ? undefined : '');
      if (value === undefined) throw new Error(`${name} is not set: ${rest}`);
      return value;
    });
  const names = (variables.COMPOSE_FILE ?? 'compose.yaml').split(':');
  const [first, ...more] = names.map((name) => parse(interpolate(read(folder + name)), { merge: true }));
  for (const { services } of more)
    for (const [name, settings] of Object.entries(services)) Object.assign(first.services[name], settings);
  return first;
}

/** Returns the folders of the repository that the image of deploy/Dockerfile contains, and its entry point. */
export function readImageContents(): { folders: string[]; entrypoint: string[] } {
  const text = read('Dockerfile');
  const folders = [...text.matchAll(/^COPY (\w+) \1$/gm)].map(([, folder = '']) => folder);
  const [, entrypoint = '[]'] = /^ENTRYPOINT (.+)$/m.exec(text) ?? [];
  return { folders, entrypoint: JSON.parse(entrypoint) };
}
