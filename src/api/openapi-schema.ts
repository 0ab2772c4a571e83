import { z } from 'zod';

export type Json = Record<string, unknown>;

/** The JSON Schema of a zod schema. What has a name of its own goes to `named`, and is referred to. */
export function schemaOf(schema: z.ZodType, io: 'input' | 'output', named: Record<string, Json>): Json {
  const { $schema, $defs, ...json } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override({ jsonSchema }) {
      // Limits of the language, and patterns that a format says already, are noise to a reader.
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.format !== undefined || jsonSchema.type === 'integer') delete jsonSchema.pattern;
      // What is read out of text has a default of another type, which the library leaves out.
      if ('missing' in jsonSchema) {
        jsonSchema.default = jsonSchema.missing as number;
        delete jsonSchema.missing;
      }
      // A later version may answer more (specification, Versioning): clients must not be generated to refuse it.
      if (io === 'output' && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
    },
  }) as Json & { $defs?: Record<string, Json> };
  const referring = (one: Json) =>
    JSON.parse(JSON.stringify(one).replaceAll('"#/$defs/', '"#/components/schemas/'), describedOnce) as Json;
  for (const [name, one] of Object.entries($defs ?? {})) named[name] = referring(one);
  return referring(json);
}

/** A member that may be null is described as a whole: what it says where it is not null would say it twice. */
function describedOnce(_name: string, value: unknown): unknown {
  const { description, anyOf } = (value ?? {}) as { description?: unknown; anyOf?: Json[] };
  if (typeof description !== 'string' || !Array.isArray(anyOf)) return value;
  if (!anyOf.some(({ type }) => type === 'null')) return value;
  return { ...(value as Json), anyOf: anyOf.map(({ description: _, ...one }) => one) };
}
