import type { RouteInfo } from '@fw/types'
import { withCode } from '@fw/options'
import type { Step } from './compose.ts'
import type { RequestContext } from '../context/context.ts'
import type { CheckResponses } from '../options/check-responses.ts'
import { nameOfRoute } from '../options/route-options.ts'
import type { ResponseSchemas } from './response-schemas.ts'
import type { Serialize } from '../response/handler-result.ts'
import { compileValidator, type Mismatch, type Validate } from './schema-validator.ts'

/** Results of each route that `'count'` checks before it samples: enough to find faults that concern every result. */
const FIRST_RESULTS = 100
/** Then `'count'` checks one result of this many. Checking each takes 27% more CPU time for an object of 200 bytes. */
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

/** Creates the checks of routes, and counts their outcomes. */
export class ResponseChecks {
  readonly counts: { -readonly [Name in keyof CheckedResponses]: number } = { checked: 0, mismatched: 0, undeclared: 0 }
  readonly warn: (message: string) => void
  readonly #mode: CheckResponses

  constructor(mode: CheckResponses, warn: (message: string) => void) {
    this.#mode = mode
    this.warn = warn
  }

  /** Returns the check of a route; `undefined` if it declares no response or its checks are off. */
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
  /** The validators by status. Empty until the first request of the route has loaded them. */
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
      this.#check(value, status)
      return serialize(value, status)
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

  /** @throws {TypeError} if the value does not match, in mode `'error'` */
  #check(value: unknown, status: number): void {
    if (!this.#schemas.has(status)) {
      this.#all.counts.undeclared++
      const fix = `Add ${status} to the option, or set checkResponses: 'off'.`
      this.#warnOnce('undeclared', `${this.#route}: option "response" does not declare status ${status}. ${fix}`)
      return
    }
    const validate = this.#validators?.get(status)
    if (validate === undefined || !this.#isSampled()) return
    const form = jsonForm(value)
    // The serializer reports a value without a JSON form.
    if (form === undefined) return
    this.#all.counts.checked++
    const mismatch = validate(form)
    if (mismatch === undefined) return
    this.#all.counts.mismatched++
    const text = `${this.#route}: ${describe(mismatch, status)}`
    if (this.#mode === 'error') {
      const fix = 'Correct the result, or the schema in option "response".'
      throw withCode('FW_INVALID_RETURN', new TypeError(`${text} ${fix}`))
    }
    this.#warnOnce('mismatch', `${text} Further ones of this route are only counted in server.stats().responses.`)
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

function describe({ pointer, rule, got }: Mismatch, status: number): string {
  return `response ${status}${pointer === '' ? '' : ` at "${pointer}"`} must ${rule}, got ${got}.`
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

/** Replaces a bigint, which serializers of schemas write as a number. */
function withoutBigInt(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? Number(value) : value
}
