/**
 * Refuses options that do not exist, so that a misspelt one is not silently without effect.
 *
 * @throws {TypeError} naming the option and those there are; if what was given is no object
 */
export function checkOptions(what: string, given: object, known: readonly string[]): void {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw new TypeError(`The options of ${what} are ${JSON.stringify(given)}; an object is meant: ${known.join(', ')}`)
  }
  for (const name of Object.keys(given)) {
    if (!known.includes(name))
      throw new TypeError(`Unknown option '${name}' of ${what}; there are: ${known.join(', ')}`)
  }
}
