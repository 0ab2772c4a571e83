import { z } from 'zod';

export type Json = Record<string, unknown>;

/** Converts a zod schema to JSON Schema. A schema with a name is added to `named`, and the result refers to it. */
export function convertZodToJsonSchema(schema: z.ZodType, io: 'input' | 'output', named: Record<string, Json>): Json {
  const { $schema, $defs, ...json } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override({ jsonSchema }) {
      // Removes bounds that only reflect the range of JavaScript's numbers, and patterns that a format implies, because they do not help
      // readers.
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.format !== undefined || jsonSchema.type === 'integer') delete jsonSchema.pattern;
      // Adds the default of a value that is parsed from text. The library omits it, because the default's type is not text.
      if ('missing' in jsonSchema) {
        jsonSchema.default = jsonSchema.missing as number;
        delete jsonSchema.missing;
      }
      // Responses may have further members, because a later version may add some (specification, Versioning). Generated clients must accept
      // them.
      if (io === 'output' && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
    },
  }) as Json & { $defs?: Record<string, Json> };
  const referring = (one: Json) =>
    JSON.parse(JSON.stringify(one).replaceAll('"#/$defs/', '"#/components/schemas/'), describedOnce) as Json;
  for (const [name, one] of Object.entries($defs ?? {})) named[name] = referring(one);
  return referring(json);
}

/** Removes the description of a nullable member from the alternatives of `anyOf`, which repeat it. */
function describedOnce(_name: string, value: unknown): unknown {
  const { description, anyOf } = (value ?? {}) as { description?: unknown; anyOf?: Json[] };
  if (typeof description !== 'string' || !Array.isArray(anyOf)) return value;
  if (!anyOf.some(({ type }) => type === 'null')) return value;
  return { ...(value as Json), anyOf: anyOf.map(({ description: _, ...one }) => one) };
}
