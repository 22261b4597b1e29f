import { inspect } from 'node:util'

/**
 * Refuses options that do not exist, so that a misspelt one is not silently without effect.
 *
 * @param purpose What the options are for, after "Cannot": "create FileSink"
 * @throws {TypeError} naming the option and those there are
 */
export function checkOptions(options: object, known: readonly string[], purpose: string): void {
  if (typeof options !== 'object' || options === null) {
    throw new TypeError(`Cannot ${purpose}: options must be an object`)
  }
  for (const name of Object.keys(options)) {
    if (!known.includes(name)) {
      throw new TypeError(`Cannot ${purpose}: unknown option '${name}' (known: ${known.join(', ')})`)
    }
  }
}

/** @throws {TypeError} if one of these options is given and neither true nor false */
export function checkFlags(options: object, names: readonly string[], purpose: string): void {
  for (const [name, value] of Object.entries(options)) {
    if (names.includes(name) && value !== undefined && typeof value !== 'boolean') {
      throw new TypeError(`Cannot ${purpose}: ${name} must be true or false, not ${inspect(value)}`)
    }
  }
}

/** @throws {TypeError} if the value is no number. @throws {RangeError} if it is no whole number from least to most */
export function checkNumber(name: string, value: unknown, least: number, most: number, purpose: string): void {
  if (typeof value !== 'number')
    throw new TypeError(`Cannot ${purpose}: ${name} must be a number, not ${inspect(value)}`)
  if (!Number.isInteger(value) || value < least || value > most) {
    throw new RangeError(`Cannot ${purpose}: ${name} must be a whole number from ${least} to ${most}, not ${value}`)
  }
}
