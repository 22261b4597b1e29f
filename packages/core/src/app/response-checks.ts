import type { RouteInfo } from '@fw/types'
import { withCode } from '@fw/options'
import type { Step } from './compose.ts'
import type { RequestContext } from '../context/context.ts'
import type { CheckResponses } from '../options/check-responses.ts'
import { nameOfRoute } from '../options/route-options.ts'
import type { ResponseSchemas } from './response-schemas.ts'
import type { Serialize } from '../response/handler-result.ts'
import { compileValidator, type Mismatch, type Validate } from './schema-validator.ts'

/**
 * Number of results that `'count'` checks on each route before it samples. Enough to find an error that is in every
 * result.
 */
const FIRST_RESULTS = 100
/**
 * After the first results, `'count'` checks one result in this many. Checking every result takes 27% more CPU time for
 * a 200-byte object.
 */
const SAMPLE = 100

/** JSON responses that were checked against `response` schemas. */
export interface CheckedResponses {
  /** Results that were compared with a schema. In mode `'count'`, a sample of all results. */
  readonly checked: number
  /** Results among them that did not match. */
  readonly mismatched: number
  /** JSON responses with a status that the route does not declare. */
  readonly undeclared: number
}

/** Creates the response checks for routes, and counts their outcomes. */
export class ResponseChecks {
  readonly counts: { -readonly [Name in keyof CheckedResponses]: number } = { checked: 0, mismatched: 0, undeclared: 0 }
  readonly warn: (message: string) => void
  readonly #mode: CheckResponses

  constructor(mode: CheckResponses, warn: (message: string) => void) {
    this.#mode = mode
    this.warn = warn
  }

  /** Returns the response check for a route; `undefined` if it declares no response or its checks are off. */
  of(route: RouteInfo, schemas: ResponseSchemas): ResponseCheck | undefined {
    const mode = route.options.checkResponses ?? this.#mode
    return mode === 'off' || schemas.size === 0 ? undefined : new ResponseCheck(this, mode, nameOfRoute(route), schemas)
  }
}

/** Checks the JSON results of one route. */
class ResponseCheck {
  readonly #all: ResponseChecks
  readonly #mode: 'error' | 'count'
  readonly #route: string
  readonly #schemas: ResponseSchemas
  readonly #warned = new Set<'mismatch' | 'undeclared' | 'unchecked'>()
  /** The validators by status. Empty until the route's first request has loaded them. */
  #validators: ReadonlyMap<number, Validate> | undefined = undefined
  #results = 0

  constructor(all: ResponseChecks, mode: 'error' | 'count', route: string, schemas: ResponseSchemas) {
    this.#all = all
    this.#mode = mode
    this.#route = route
    this.#schemas = schemas
  }

  /** Returns a serializer that checks each value first. */
  before(serialize: Serialize): Serialize {
    return (value, status) => {
      const mismatch = this.#check(value, status)
      if (mismatch !== undefined && this.#mode === 'error') throw mismatchError(mismatch)
      try {
        const text = serialize(value, status)
        if (mismatch !== undefined) {
          this.#warnOnce(
            'mismatch',
            `${mismatch} Further mismatches on this route are only counted in server.stats().responses.`,
          )
        }
        return text
      } catch (error) {
        // Without a check, the serializer's error does not name the member.
        const reason = mismatch ?? this.#mismatchOf(value, status)
        throw reason === undefined ? error : mismatchError(reason, error)
      }
    }
  }

  /** Returns a step that loads the validators before the first request, because `ctx.json()` cannot wait for them. */
  prepareFor(step: Step<RequestContext>): Step<RequestContext> {
    return (context) => {
      if (this.#validators !== undefined) return step(context)
      return this.#load().then(() => (context.isTimedOut ? undefined : step(context)))
    }
  }

  async #load(): Promise<void> {
    const validators = new Map<number, Validate>()
    for (const [status, schema] of this.#schemas) {
      try {
        validators.set(status, await compileValidator(schema))
      } catch (error) {
        // The serializer accepts some schemas that a validator rejects, so the route must work without its checks.
        this.#warnOnce('unchecked', `${this.#route}: results with status ${status} are not checked: ${String(error)}.`)
      }
    }
    this.#validators = validators
  }

  /** Checks and counts a value. Returns the mismatch message, if any. */
  #check(value: unknown, status: number): string | undefined {
    if (!this.#schemas.has(status)) {
      this.#all.counts.undeclared++
      const fix = `Add ${status} to the option, or set checkResponses: 'off'.`
      this.#warnOnce('undeclared', `${this.#route}: option "response" does not declare status ${status}. ${fix}`)
      return undefined
    }
    const validate = this.#validators?.get(status)
    if (validate === undefined || !this.#isSampled()) return undefined
    const form = jsonForm(value)
    // The serializer reports a value without a JSON form.
    if (form === undefined) return undefined
    this.#all.counts.checked++
    const mismatch = validate(form)
    if (mismatch === undefined) return undefined
    this.#all.counts.mismatched++
    return this.#describe(mismatch, status)
  }

  /** Returns the mismatch message for a value that was not in the sample, without counting it. */
  #mismatchOf(value: unknown, status: number): string | undefined {
    const form = jsonForm(value)
    const mismatch = form === undefined ? undefined : this.#validators?.get(status)?.(form)
    return mismatch && this.#describe(mismatch, status)
  }

  #describe({ pointer, rule, got }: Mismatch, status: number): string {
    const place = pointer === '' ? '' : ` at "${pointer}"`
    return `${this.#route}: response ${status}${place} must ${rule}, got ${got}.`
  }

  #isSampled(): boolean {
    return this.#mode === 'error' || ++this.#results <= FIRST_RESULTS || this.#results % SAMPLE === 0
  }

  #warnOnce(kind: 'mismatch' | 'undeclared' | 'unchecked', message: string): void {
    if (this.#warned.has(kind)) return
    this.#warned.add(kind)
    this.#all.warn(message)
  }
}

function mismatchError(mismatch: string, cause?: unknown): TypeError {
  const message = `${mismatch} Correct the result, or the schema in option "response".`
  return withCode('FW_INVALID_RETURN', cause === undefined ? new TypeError(message) : new TypeError(message, { cause }))
}

/** Returns the value that a client would parse, without the methods, dates and `toJSON()` of the original. */
function jsonForm(value: unknown): unknown {
  try {
    const text: string | undefined = JSON.stringify(value, withoutBigInt)
    return text === undefined ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Replaces a bigint, which schema serializers write as a number. */
function withoutBigInt(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? Number(value) : value
}
