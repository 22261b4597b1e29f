import { withCode } from '@fw/options'
import type { RouteOptions, SchemaIssue, SchemaResult, StandardSchema, Validated } from '@fw/types'
import { isThenable } from './compose.ts'
import { HttpError } from '../response/http-error.ts'
import { NOTHING_VALID } from '../context/nothing-valid.ts'
import type { RequestContext } from '../context/context.ts'

/** Parts of a request that can have a schema. */
const PARTS = ['params', 'query', 'headers', 'body'] as const
type Part = (typeof PARTS)[number]

/**
 * Maximum number of errors reported per part. A 1 MB body can have 500,000 errors, which would fill a 50 MB response.
 */
const MAX_FAULTS = 100

/** One validation error, in the form sent to the client. */
interface Fault {
  readonly in: Part
  /** JSON Pointer into the invalid part of the request (RFC 6901). */
  readonly pointer: string
  readonly message: string
}

/** Validates a request. Returns a promise only if a schema is asynchronous or the body is still arriving. */
export type Validation = (context: RequestContext) => Promise<Validated> | Validated

/**
 * Returns a function that validates requests to a route; `undefined` for a route without schemas. Validates params,
 * query and headers together, before the body. Does not read the body if one of them is invalid.
 */
export function validationOf(options: RouteOptions): Validation | undefined {
  const { params, query, headers, body } = options
  const checkHead =
    params === undefined && query === undefined && headers === undefined ? undefined : headCheck(options)
  if (body === undefined) return checkHead
  if (checkHead === undefined) return (context) => checkBody(body, NOTHING_VALID, context)
  return async (context) => checkBody(body, await checkHead(context), context)
}

type Settled = SchemaResult<unknown> | undefined
type Checking = Settled | Promise<SchemaResult<unknown>>

/** @throws {HttpError} 400 with at most `MAX_FAULTS` errors per part */
function headCheck({ params, query, headers }: RouteOptions): Validation {
  return (context) => {
    const results: Checking[] = [
      params === undefined ? undefined : check(params, context.params),
      query === undefined ? undefined : check(query, pairs(context.query)),
      headers === undefined ? undefined : check(headers, pairs(context.headers)),
    ]
    const mustWait = results.some(isThenable)
    return mustWait ? Promise.all(results.map(async (result) => result)).then(conclude) : conclude(results as Settled[])
  }
}

function conclude(results: readonly Settled[]): Validated {
  const faults = results.flatMap((result, i) => faultsOf(PARTS[i] ?? 'params', result))
  if (faults.length > 0) throw invalid(faults)
  const [params, query, headers] = results.map((result) => (result?.issues === undefined ? result?.value : undefined))
  return { params, query, headers, body: undefined }
}

function checkBody(schema: StandardSchema, head: Validated, context: RequestContext): Validated | Promise<Validated> {
  return context.readValue((value) => {
    const result = check(schema, value instanceof URLSearchParams ? pairs(value) : value)
    return isThenable(result) ? result.then((settled) => withBody(head, settled)) : withBody(head, result)
  })
}

function withBody(head: Validated, result: SchemaResult<unknown>): Validated {
  if (result.issues !== undefined) throw invalid(faultsOf('body', result))
  return { ...head, body: result.value }
}

function check(schema: StandardSchema, value: unknown): SchemaResult<unknown> | Promise<SchemaResult<unknown>> {
  return schema['~standard'].validate(value)
}

/**
 * Collects entries by name, with a list for a repeated name. The result has no prototype, so that a schema sees only
 * the entries.
 */
function pairs(entries: Iterable<readonly [name: string, value: string]>): Record<string, string | string[]> {
  const all = Object.create(null) as Record<string, string | string[]>
  for (const [name, value] of entries) {
    const before = all[name]
    if (before === undefined) all[name] = value
    else if (typeof before === 'string') all[name] = [before, value]
    else before.push(value)
  }
  return all
}

function faultsOf(part: Part, result: SchemaResult<unknown> | undefined): readonly Fault[] {
  if (result?.issues === undefined) return []
  return result.issues
    .slice(0, MAX_FAULTS)
    .map(({ message, path }) => ({ in: part, pointer: pointerOf(path), message }))
}

/** @see RFC 6901 §3 */
function pointerOf(path: SchemaIssue['path'] = []): string {
  let pointer = ''
  for (const segment of path) {
    const key = String(typeof segment === 'object' ? segment.key : segment)
    pointer += `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`
  }
  return pointer
}

function invalid(errors: readonly Fault[]): HttpError {
  const parts = [...new Set(errors.map((error) => error.in))]
  return withCode(
    'FW_INVALID_REQUEST',
    new HttpError(400, `The request is invalid: ${parts.join(', ')}`, { extensions: { errors } }),
  )
}
