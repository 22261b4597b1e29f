import { createRequire } from 'node:module'
import type { JsonSchema, RouteOptions } from '@fw/types'
import type FastJsonStringify from 'fast-json-stringify'
import { jsonText, type Serialize } from '../response/handler-result.ts'
import { isStandardSchema } from './standard-schema.ts'

type Stringify = (value: unknown) => string

/**
 * Compiles the response schemas of a route.
 *
 * @param what The route, for messages
 * @throws {TypeError} if the schemas cannot be compiled
 */
export function serializerOf(response: RouteOptions['response'], what: string): Serialize {
  if (response === undefined) return jsonText
  if (typeof response !== 'object' && typeof response !== 'function') throw new TypeError(NO_SCHEMAS(what))
  const byStatus = new Map<number, Stringify>()
  for (const [key, schema] of Object.entries(
    isStandardSchema(response) ? { 200: jsonSchemaOf(response, what) } : response,
  )) {
    const status = Number(key)
    if (!Number.isInteger(status) || status < 200 || status > 599) {
      throw new TypeError(`Cannot route ${what}: 'response' has the key '${key}', which is no final status`)
    }
    byStatus.set(status, compile(schema, `${what}: the response schema of ${key}`))
  }
  return (value, status) => {
    const stringify = byStatus.get(status)
    return stringify === undefined ? jsonText(value) : stringify(value)
  }
}

const NO_SCHEMAS = (what: string): string =>
  `Cannot route ${what}: 'response' holds no schemas, such as { 200: { type: 'object', properties: {} } }`

let build: typeof FastJsonStringify | undefined

function compile(schema: unknown, what: string): Stringify {
  if (typeof schema !== 'object' || schema === null) throw new TypeError(`Cannot route ${what} is no JSON Schema`)
  // Loaded with the first schema: it takes longer to load than everything else here.
  build ??= createRequire(import.meta.url)('fast-json-stringify') as typeof FastJsonStringify
  try {
    return build(schema)
  } catch (error) {
    throw new TypeError(`Cannot route ${what} cannot be compiled`, { cause: error })
  }
}

/** The JSON Schema that a Standard Schema tells of its output (Standard JSON Schema). */
function jsonSchemaOf(schema: object, what: string): JsonSchema {
  const standard = (schema as { readonly '~standard': JsonSchemaTeller })['~standard']
  if (standard.jsonSchema === undefined) {
    throw new TypeError(
      `Cannot route ${what}: a schema of ${standard.vendor} does not tell its JSON Schema; give response: { 200: jsonSchema }`,
    )
  }
  return standard.jsonSchema.output({ target: 'draft-07' })
}

interface JsonSchemaTeller {
  readonly vendor: string
  readonly jsonSchema?: { output(options: { readonly target: string }): JsonSchema }
}
