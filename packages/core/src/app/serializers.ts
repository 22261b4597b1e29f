import type { JsonSchema } from '@fw/types'
import { optionError } from '@fw/options'
import { jsonText, type Serialize } from '../response/handler-result.ts'
import { loadFastJsonStringify } from '../response/lazy-libraries.cjs'
import type { ResponseSchemas } from './response-schemas.ts'

type Stringify = (value: unknown) => string

/**
 * Compiles a route's response schemas.
 *
 * @param api The route's name, with which error messages begin
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

function compile(schema: JsonSchema, api: string, name: string): Stringify {
  const build = loadFastJsonStringify()
  try {
    return build(schema)
  } catch (error) {
    const expected = 'a JSON Schema that fast-json-stringify can compile'
    throw optionError({ api, name, expected, got: 'an invalid one', fix: 'See the cause.', cause: error })
  }
}
