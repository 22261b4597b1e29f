import { optionError, showValue } from '@fw/options'
import type { JsonSchema, RouteOptions } from '@fw/types'
import { isStandardSchema } from '../options/standard-schema.ts'

/** JSON Schemas for a route's responses, by status. Empty for a route without response schemas. */
export type ResponseSchemas = ReadonlyMap<number, JsonSchema>

const EXAMPLE = `Write, for example, { 200: { type: 'object', properties: {} } }.`

/**
 * Returns the JSON Schemas in the option `response`. A single Standard Schema applies to status 200.
 *
 * @param api The route's name, with which error messages begin
 * @throws {TypeError} if a key is not a status, or a schema neither is nor provides a JSON Schema
 */
export function responseSchemas(response: RouteOptions['response'], api: string): ResponseSchemas {
  const schemas = new Map<number, JsonSchema>()
  if (response === undefined) return schemas
  if (isStandardSchema(response)) return schemas.set(200, jsonSchemaOf(response, api, 'response'))
  for (const [key, schema] of Object.entries(response)) {
    const status = Number(key)
    if (!Number.isInteger(status) || status < 200 || status > 599) {
      const expected = 'an object whose keys are statuses from 200 to 599'
      throw optionError({ api, name: 'response', expected, got: `the key ${showValue(key)}`, fix: EXAMPLE })
    }
    schemas.set(status, jsonSchemaOf(schema, api, `response.${key}`))
  }
  return schemas
}

/** Returns the JSON Schema for a Standard Schema's output, or the JSON Schema itself. */
function jsonSchemaOf(schema: unknown, api: string, name: string): JsonSchema {
  // Some Standard Schemas are functions, so check for them first.
  if (isStandardSchema(schema)) return outputOf(schema['~standard'], api, name)
  if (typeof schema === 'object' && schema !== null) return schema as JsonSchema
  const expected = 'a JSON Schema or a Standard Schema'
  throw optionError({ api, name, expected, got: showValue(schema), fix: EXAMPLE })
}

function outputOf({ vendor, jsonSchema }: JsonSchemaSource, api: string, name: string): JsonSchema {
  const expected = 'a schema with a JSON Schema'
  if (jsonSchema === undefined) {
    const got = `a ${vendor} schema without one`
    throw optionError({
      api,
      name,
      expected,
      got,
      fix: FIXES[vendor] ?? `Pass a JSON Schema, such as { type: 'object' }.`,
    })
  }
  try {
    return jsonSchema.output({ target: 'draft-07' })
  } catch (cause) {
    const fix = 'Describe the JSON form of the output, for example a date as text; see the cause.'
    throw optionError({ api, name, expected, got: `a ${vendor} schema that cannot be converted`, fix, cause })
  }
}

/** How to add a JSON Schema to each library's schemas. */
const FIXES: Readonly<Record<string, string>> = {
  valibot: 'Wrap it with toStandardJsonSchema() from @valibot/to-json-schema.',
}

/** The part of a Standard Schema that provides its JSON Schema. */
interface JsonSchemaSource {
  readonly vendor: string
  readonly jsonSchema?: { output(options: { readonly target: string }): JsonSchema }
}
