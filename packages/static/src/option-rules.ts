import { inspect } from 'node:util'

/** What an option takes, for people, and whether a value is that. */
export type Rule = readonly [wanted: string, accepts: (value: unknown) => boolean]

export const FLAG: Rule = ['true or false', (value) => typeof value === 'boolean']
export const TEXT: Rule = ['a string', (value) => typeof value === 'string']
export const CALLBACK: Rule = ['a function', (value) => typeof value === 'function']
export const BYTES: Rule = ['a whole number, 0 or more', (value) => Number.isSafeInteger(value) && Number(value) >= 0]
export const FILE: Rule = [
  'a relative path without . or .. segments',
  (value) => typeof value === 'string' && isRelative(value),
]

export function oneOf(...values: readonly string[]): Rule {
  return [values.map((value) => `'${value}'`).join(' or '), (value) => values.some((known) => known === value)]
}

/**
 * Checks options; one that is `undefined` counts as not given.
 *
 * @param what What the options are for
 * @throws {TypeError} if an option is unknown or its value is of the wrong kind
 */
export function checkOptions(what: string, given: object, rules: Readonly<Record<string, Rule>>): void {
  if (typeof given !== 'object' || given === null) {
    throw new TypeError(`The options for ${what} are ${inspect(given)}, no object`)
  }
  for (const [name, value] of Object.entries(given)) {
    const rule = Object.hasOwn(rules, name) ? rules[name] : undefined
    if (rule === undefined) {
      throw new TypeError(`Unknown option '${name}' for ${what}; known are: ${Object.keys(rules).join(', ')}`)
    }
    const [wanted, accepts] = rule
    if (value !== undefined && !accepts(value)) throw new TypeError(`Option '${name}' for ${what} takes ${wanted}`)
  }
}

function isRelative(path: string): boolean {
  return path.split('/').every((segment) => segment !== '' && !/^\.{1,2}$|[\0\\]/.test(segment))
}
