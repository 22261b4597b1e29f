import { createRequire } from 'node:module'
import type { JsonSchema } from '@fw/types'
import type FastJsonStringify from 'fast-json-stringify'
import { optionError } from '@fw/options'
import { jsonText, type Serialize } from '../response/handler-result.ts'
import type { ResponseSchemas } from './response-schemas.ts'

type Stringify = (value: unknown) => string

/**
 * Compiles the response schemas of a route.
 *
 * @param api Name of the route, with which error messages begin
 * @throws {TypeError} if a schema cannot be compiled
 */
export function serializerOf(schemas: ResponseSchemas, api: string): Serialize {
  if (schemas.size === 0) return jsonText
  const byStatus = new Map<number, Stringify>()
  for (const [status, schema] of schemas) byStatus.set(status, compile(schema, api, `response.${status}`))
  return (value, status) => {
    const stringify = byStatus.get(status)
    return stringify === undefined ? jsonText(value) : stringify(value)
  }
}

let build: typeof FastJsonStringify | undefined

function compile(schema: JsonSchema, api: string, name: string): Stringify {
  // Loaded with the first schema, because loading it takes longer than loading the rest of this package.
  build ??= createRequire(import.meta.url)('fast-json-stringify') as typeof FastJsonStringify
  try {
    return build(schema)
  } catch (error) {
    const expected = 'a JSON Schema that fast-json-stringify can compile'
    throw optionError({ api, name, expected, got: 'an invalid one', fix: 'See the cause.', cause: error })
  }
}
