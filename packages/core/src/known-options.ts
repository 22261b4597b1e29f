/**
 * Refuses options that do not exist, so that a misspelt one is not silently without effect.
 *
 * @throws {TypeError} naming the option and those there are
 */
export function checkOptions(what: string, given: object, known: readonly string[]): void {
  for (const name of Object.keys(given)) {
    if (!known.includes(name))
      throw new TypeError(`Unknown option '${name}' of ${what}; there are: ${known.join(', ')}`)
  }
}
