import { showType } from '@fw/options'
import type { JsonSchema } from '@fw/types'
import type { Ajv, ErrorObject, KeywordCxt, Options } from 'ajv'

/** The first difference between a value and its schema. */
export interface Mismatch {
  /** JSON Pointer into the value (RFC 6901); empty for the value itself. */
  readonly pointer: string
  /** Completes "must …". */
  readonly rule: string
  /** Type of the value at `pointer`. The value itself could be private. */
  readonly got: string
}

/** Compares the JSON form of a value with a schema. Returns `undefined` if it matches. */
export type Validate = (value: unknown) => Mismatch | undefined

const OPTIONS: Options = {
  // The serializer has accepted the schema. Strict mode would reject members that other tools use.
  strict: false,
  validateSchema: false,
  // `format` is only an annotation. The serializer has its own rules for formats.
  validateFormats: false,
  // Errors must contain the value, because the message names its type.
  verbose: true,
  logger: false,
  code: { regExp: Object.assign(pattern, { code: 'pattern' }) },
}

/**
 * Loads Ajv and compiles a JSON Schema: draft 2020-12 if `$schema` names it, otherwise draft 7.
 *
 * @throws if the schema is invalid
 */
export async function compileValidator(schema: JsonSchema): Promise<Validate> {
  const ajv = await createAjv(schema)
  ignoreOmittedMembers(ajv)
  const matches = ajv.compile(schema)
  return (value) => (matches(value) ? undefined : mismatchOf(matches.errors ?? []))
}

/** Creates an Ajv instance for one schema, so that equal `$id`s in two routes cannot collide. */
async function createAjv({ $schema }: JsonSchema): Promise<Ajv> {
  // Loaded with the first check, because Ajv takes longer to load than the rest of this package.
  if (String($schema).includes('2020-12')) return new (await import('ajv/dist/2020.js')).Ajv2020(OPTIONS)
  return new (await import('ajv')).Ajv(OPTIONS)
}

/**
 * Accepts additional members where the serializer omits them. Alternatives in `anyOf` still use them to distinguish
 * values.
 */
function ignoreOmittedMembers(ajv: Ajv): void {
  const standard = ajv.getKeyword('additionalProperties')
  if (typeof standard !== 'object' || !('code' in standard)) return
  const { code } = standard
  ajv.removeKeyword('additionalProperties').removeKeyword('unevaluatedProperties')
  ajv.addKeyword({
    ...standard,
    code(context: KeywordCxt, ruleType) {
      if (context.schema !== false || context.it.compositeRule === true) code(context, ruleType)
    },
  })
}

/**
 * Compiles a pattern. Falls back to the older syntax, which allows more escapes and which `RegExp` literals in
 * libraries use.
 */
function pattern(source: string, flags: string): RegExp {
  try {
    return new RegExp(source, flags)
  } catch {
    return new RegExp(source)
  }
}

function mismatchOf(errors: readonly ErrorObject[]): Mismatch {
  // The error for a list of alternatives comes last, after the errors for each alternative.
  const error = errors.at(-1)
  if (error === undefined) return { pointer: '', rule: 'match its schema', got: 'another value' }
  const { keyword, instancePath, params, data, message = 'must match its schema' } = error
  if (keyword === 'required') {
    const name = String(params['missingProperty']).replaceAll('~', '~0').replaceAll('/', '~1')
    return { pointer: `${instancePath}/${name}`, rule: 'be present', got: 'nothing' }
  }
  return { pointer: instancePath, rule: ruleOf(errors, error) ?? message.replace(/^must /, ''), got: showType(data) }
}

/** Maximum number of characters for the values that a rule lists. */
const MAX_LISTED = 120

function ruleOf(errors: readonly ErrorObject[], { keyword, params, instancePath }: ErrorObject): string | undefined {
  if (keyword === 'type') return `be ${typeNames([params['type']].flat())}`
  if (keyword === 'const') return `be ${shorten(JSON.stringify(params['allowedValue']))}`
  if (keyword === 'enum') return `be one of ${shorten(JSON.stringify(params['allowedValues']))}`
  const reasons = errors.slice(0, -1)
  // An `anyOf` of primitive types, such as string or null.
  if (reasons.length > 0 && reasons.every((each) => each.keyword === 'type' && each.instancePath === instancePath)) {
    return `be ${typeNames(reasons.map(({ params: { type } }) => type))}`
  }
  return undefined
}

function typeNames(types: readonly unknown[]): string {
  const names = types
    .map(String)
    .map((type) => (type === 'null' ? type : `${/^[aio]/.test(type) ? 'an' : 'a'} ${type}`))
  return names.join(' or ')
}

function shorten(text: string): string {
  return text.length > MAX_LISTED ? `${text.slice(0, MAX_LISTED)}…` : text
}
