import { showType, withCode } from '@fw/options'

/** The data of a session: the frozen object, and its JSON text. */
export interface JsonData {
  readonly value: Readonly<Record<string, unknown>>
  readonly json: string
}

/** The data of a new session. */
export const NO_DATA: JsonData = { value: Object.freeze({}), json: '{}' }

/** Changes to the data, or a function that returns them. */
export type Change = object | ((data: never) => object)

/**
 * Applies a change. Each value has the form that the next request reads; for example, a `Date` becomes a string.
 *
 * @throws {TypeError} if the change is not an object, or a value has no JSON form
 */
export function applyChange({ value }: JsonData, change: Change): JsonData {
  const changes: unknown = typeof change === 'function' ? change(value as never) : change
  if (typeof changes !== 'object' || changes === null || Array.isArray(changes) || changes instanceof Promise) {
    throw invalid(`changes must be an object, got ${showType(changes)}. Pass { name: value }.`)
  }
  return parseData(toJson({ ...value, ...changes }))
}

/** Parses the text of `JsonData`. @throws {SyntaxError} if the text is not JSON */
export function parseData(json: string): JsonData {
  return { value: freeze(JSON.parse(json)), json }
}

function toJson(value: unknown): string {
  try {
    return JSON.stringify(value)
  } catch (cause) {
    throw invalid('a value has no JSON form. Convert it first, for example with String().', cause)
  }
}

function invalid(problem: string, cause?: unknown): TypeError {
  return withCode('FW_INVALID_ARGUMENT', new TypeError(`session.update: ${problem}`, { cause }))
}

/** Freezes a result of `JSON.parse`, which cannot contain cycles. */
function freeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    Object.values(value).forEach(freeze)
    Object.freeze(value)
  }
  return value
}
