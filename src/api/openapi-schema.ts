import { z } from 'zod';

export type Json = Record<string, unknown>;

/** Converts a zod schema to JSON Schema. If the schema has a name, adds its JSON Schema to `named`, and returns a reference to it. */
export function convertZodToJsonSchema(schema: z.ZodType, io: 'input' | 'output', named: Record<string, Json>): Json {
  const { $schema, $defs, ...json } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override({ jsonSchema }) {
      // Removes bounds that only state the range of JavaScript's safe integers, and patterns that the format or the type `integer` implies.
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.format !== undefined || jsonSchema.type === 'integer') delete jsonSchema.pattern;
      // The library omits the default of a value that is parsed from text. It is added here.
      if ('missing' in jsonSchema) {
        jsonSchema.default = jsonSchema.missing as number;
        delete jsonSchema.missing;
      }
      // Responses may get further members in later versions, so the schema must not forbid them.
      if (io === 'output' && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
    },
  }) as Json & { $defs?: Record<string, Json> };
  const referring = (one: Json) =>
    JSON.parse(JSON.stringify(one).replaceAll('"#/$defs/', '"#/components/schemas/'), describedOnce) as Json;
  for (const [name, one] of Object.entries($defs ?? {})) named[name] = referring(one);
  return referring(json);
}

/** Removes repeated descriptions from the alternatives of a nullable member. */
function describedOnce(_name: string, value: unknown): unknown {
  const { description, anyOf } = (value ?? {}) as { description?: unknown; anyOf?: Json[] };
  if (typeof description !== 'string' || !Array.isArray(anyOf)) return value;
  if (!anyOf.some(({ type }) => type === 'null')) return value;
  return { ...(value as Json), anyOf: anyOf.map(({ description: _, ...one }) => one) };
}
