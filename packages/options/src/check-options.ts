import { withCode } from './error-code.ts'
import { fixFor, isObject, type OptionKind, type OptionKinds } from './kinds.ts'
import { nearestName } from './nearest-name.ts'
import { optionError } from './option-error.ts'
import { showType, showValue } from './show-value.ts'

/** Replacements for names that are not options. */
type Meant = Readonly<Record<string, string>>

/** The kind of each option, by name. */
type Kinds = Readonly<Record<string, OptionKind>>

/**
 * Checks an object of options. An option that is `undefined` counts as absent.
 *
 * @param api The called function or class, as its caller writes it; begins every message
 * @param meant Replacements for names that other libraries use, for example `{ bodyLimit: 'maxBodyBytes' }`. Separate nested
 *   names with a dot: `{ 'history.size': 'history.maxEvents' }`
 * @throws {TypeError} if `given` is not an object, an option is unknown or a value has the wrong type
 * @throws {RangeError} if a value has the right type but is out of range
 *
 * @example
 * checkOptions('listen', { port: 70_000 }, { port: integer(0, 65_535) })
 * // RangeError: listen: option "port" must be an integer from 0 to 65535, got 70000. Omit it to use the default.
 */
// docs/decisions/0101
export function checkOptions<Options extends object>(
  api: string,
  given: Options,
  kinds: OptionKinds<Options>,
  meant: Meant = {},
): void {
  if (!isObject(given)) {
    const known = Object.keys(kinds).join(', ')
    throw withCode(
      'FW_INVALID_OPTION',
      new TypeError(`${api}: options must be an object, got ${showValue(given)}. Known options: ${known}.`),
    )
  }
  checkNames(api, '', given, kinds, meant)
  checkValues(api, '', given, kinds, meant)
}

/**
 * Rejects unknown names. `prefix` contains the names of the enclosing options, each with a trailing dot, for example `limits.`.
 */
function checkNames(api: string, prefix: string, given: object, kinds: Kinds, meant: Meant): void {
  for (const name of Object.keys(given)) {
    if (Object.hasOwn(kinds, name)) continue
    const message = `${api}: unknown option "${prefix}${name}". ${adviceFor(prefix, name, kinds, meant)}`
    throw Object.assign(withCode('FW_UNKNOWN_OPTION', new TypeError(message)), { api, option: prefix + name })
  }
}

function adviceFor(prefix: string, name: string, kinds: Kinds, meant: Meant): string {
  if (Object.hasOwn(meant, prefix + name)) return `Use ${meant[prefix + name]} instead.`
  const known = Object.keys(kinds)
  const nearest = nearestName(name, known)
  const question = nearest === undefined ? '' : `Did you mean "${nearest}"? `
  return `${question}Known options: ${known.join(', ')}.`
}

function checkValues(api: string, prefix: string, given: object, kinds: Kinds, meant: Meant): void {
  // Handlers check options for each request, so this loop does not allocate.
  for (const name in kinds) {
    const kind = kinds[name]
    const value = (given as Readonly<Record<string, unknown>>)[name]
    if (kind !== undefined && value !== undefined) checkValue(api, prefix + name, value, kind, meant)
  }
}

function checkValue(api: string, name: string, value: unknown, kind: OptionKind, meant: Meant): void {
  if (!kind.accepts(value)) {
    throw optionError({
      api,
      name,
      expected: kind.expected,
      got: kind.isSecret === true ? showType(value) : showValue(value),
      fix: fixFor(kind, value),
      isRange: kind.isRightType?.(value),
    })
  }
  if (kind.item !== undefined && Array.isArray(value)) {
    for (const [at, item] of value.entries()) checkValue(api, `${name}[${at}]`, item, kind.item, meant)
  }
  if (kind.nested === undefined || !isObject(value)) return
  checkNames(api, `${name}.`, value, kind.nested, meant)
  checkValues(api, `${name}.`, value, kind.nested, meant)
}
