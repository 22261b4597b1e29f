import type { JsonSchema, RouteOptions } from '@fw/types'
import { optionError, showValue } from '@fw/options'
import { jsonText, type Serialize } from '../response/handler-result.ts'
import { loadFastJsonStringify } from '../response/lazy-libraries.cjs'
import { isStandardSchema } from '../options/standard-schema.ts'

type Stringify = (value: unknown) => string

/**
 * Compiles the response schemas of a route.
 *
 * @param api Name of the route, with which error messages begin
 * @throws {TypeError} if the schemas cannot be compiled
 */
export function serializerOf(response: RouteOptions['response'], api: string): Serialize {
  if (response === undefined) return jsonText
  const byStatus = new Map<number, Stringify>()
  for (const [key, schema] of Object.entries(
    isStandardSchema(response) ? { 200: jsonSchemaOf(response, api) } : response,
  )) {
    const status = Number(key)
    if (!Number.isInteger(status) || status < 200 || status > 599) {
      const expected = 'an object whose keys are statuses from 200 to 599'
      throw optionError({ api, name: 'response', expected, got: `the key ${showValue(key)}`, fix: EXAMPLE })
    }
    byStatus.set(status, compile(schema, api, `response.${key}`))
  }
  return (value, status) => {
    const stringify = byStatus.get(status)
    return stringify === undefined ? jsonText(value) : stringify(value)
  }
}

const EXAMPLE = `Write for example { 200: { type: 'object', properties: {} } }.`

function compile(schema: unknown, api: string, name: string): Stringify {
  if (typeof schema !== 'object' || schema === null) {
    throw optionError({ api, name, expected: 'a JSON Schema', got: showValue(schema), fix: EXAMPLE })
  }
  const build = loadFastJsonStringify()
  try {
    return build(schema)
  } catch (error) {
    const expected = 'a JSON Schema that fast-json-stringify can compile'
    throw optionError({ api, name, expected, got: 'an invalid one', fix: 'See the cause.', cause: error })
  }
}

/** Returns the JSON Schema of the output of a Standard Schema that implements Standard JSON Schema. */
function jsonSchemaOf(schema: object, api: string): JsonSchema {
  const standard = (schema as { readonly '~standard': JsonSchemaSource })['~standard']
  if (standard.jsonSchema === undefined) {
    const got = `a schema of ${standard.vendor} without one`
    const fix = 'Write { 200: jsonSchema } instead.'
    throw optionError({ api, name: 'response', expected: 'a schema with a JSON Schema', got, fix })
  }
  return standard.jsonSchema.output({ target: 'draft-07' })
}

interface JsonSchemaSource {
  readonly vendor: string
  readonly jsonSchema?: { output(options: { readonly target: string }): JsonSchema }
}
