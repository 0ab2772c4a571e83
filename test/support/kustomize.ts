import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { z } from 'zod';

/** A Kubernetes object as parsed from YAML. */
// biome-ignore lint/suspicious/noExplicitAny: objects of every kind; the published schemas define their members
export type Manifest = Record<string, any> & { apiVersion: string; kind: string; metadata: { name: string } };

/** Supported members of a kustomization file. Any other member is an error. */
const kustomization = z.strictObject({
  apiVersion: z.literal('kustomize.config.k8s.io/v1beta1'),
  kind: z.literal('Kustomization'),
  namespace: z.string(),
  resources: z.array(z.string()),
  patches: z.array(z.strictObject({ path: z.string(), target: z.strictObject({ kind: z.string() }) })).default([]),
  images: z.array(z.strictObject({ name: z.string(), newTag: z.string() })).default([]),
  replicas: z.array(z.strictObject({ name: z.string(), count: z.int() })).default([]),
});
/** Supported JSON Patch operations (RFC 6902). */
const additions = z.array(z.strictObject({ op: z.literal('add'), path: z.string(), value: z.unknown() }));

/** Returns the objects that `kubectl kustomize FOLDER` prints. Throws if a patch, an image or a replica count matches no object. */
export function readKustomization(folder: string): Manifest[] {
  const read = (name: string) => readFileSync(join(folder, name), 'utf8');
  const { namespace, resources, patches, images, replicas } = kustomization.parse(parse(read('kustomization.yaml')));
  const objects = resources.flatMap((name): Manifest[] =>
    statSync(join(folder, name)).isDirectory()
      ? readKustomization(join(folder, name))
      : parseAllDocuments(read(name)).map((one) => one.toJS()),
  );
  for (const { path, target } of patches)
    for (const object of some(objects, ({ kind }) => kind === target.kind, path))
      for (const { path: at, value } of additions.parse(parse(read(path)))) add(object, at, structuredClone(value));
  for (const { name, newTag } of images)
    for (const container of some(objects.flatMap(getContainers), ({ image }) => image === name, name))
      container.image = `${name}:${newTag}`;
  for (const { name, count } of replicas)
    for (const { spec } of some(objects, (one) => one.metadata.name === name && 'replicas' in one.spec, name))
      spec.replicas = count;
  for (const { kind, metadata } of objects) if (kind !== 'Namespace') Object.assign(metadata, { namespace });
  return objects;
}

/** Returns the containers of an object's pods. */
export const getContainers = ({ spec }: Manifest): Manifest[string][] => spec?.template?.spec.containers ?? [];

function some<T>(all: readonly T[], isMeant: (one: T) => boolean, name: string): T[] {
  const found = all.filter(isMeant);
  if (found.length === 0) throw new Error(`${name} has no target`);
  return found;
}

/** Adds a JSON member. As in RFC 6902, the parent object must exist. */
function add(object: Manifest, path: string, value: unknown): void {
  const names = path.slice(1).split('/');
  const last = names.pop() as string;
  const parent = names.reduce((one, name) => one[name], object);
  if (last in parent) throw new Error(`${path} exists: the patch would replace it`);
  parent[last] = value;
}
