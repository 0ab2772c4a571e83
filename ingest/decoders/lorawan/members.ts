import { asObject, type Json } from '../read/payload.ts';

/** Most members of one payload, and how deep they lie. */
const MAX_MEMBERS = 500;
const MAX_DEPTH = 4;

/** A member of what a network server decoded: `meter/energy_kwh`. */
export interface Member {
  path: string;
  value: unknown;
}

/** All numbers and texts of an object, with the names of the objects around them. */
export function membersOf(object: Json): Member[] {
  const members: Member[] = [];
  const visit = (inner: Json, before: string, depth: number) => {
    for (const [name, value] of Object.entries(inner)) {
      if (members.length >= MAX_MEMBERS) return;
      const path = before === '' ? name : `${before}/${name}`;
      const deeper = asObject(value);
      if (deeper) {
        if (depth < MAX_DEPTH) visit(deeper, path, depth + 1);
      } else if (typeof value === 'number' || typeof value === 'string') members.push({ path, value });
    }
  };
  visit(object, '', 1);
  return members;
}
