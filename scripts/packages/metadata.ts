/** Properties of `package.json` that registries show. */
export interface PackageMetadata {
  readonly name?: string
  readonly description?: string
  readonly keywords?: readonly string[]
  readonly author?: string
  readonly license?: string
}

const MIN_KEYWORDS = 3
/** Copyright holders, as in LICENSE. */
const AUTHOR = 'fw contributors'

/**
 * Checks the fields by which users find and evaluate a package. `checkRelease` checks the fields that need the repository URL.
 */
export function checkMetadata(manifest: PackageMetadata): string[] {
  const { name = 'package.json', description = '', keywords = [], author, license } = manifest
  const isSorted = keywords.join() === keywords.toSorted().join()
  return [
    ...(description === '' ? [`${name} has no description`] : []),
    ...(keywords.length < MIN_KEYWORDS ? [`${name} must have at least ${MIN_KEYWORDS} keywords`] : []),
    ...(isSorted ? [] : [`${name}: keywords must be in alphabetical order`]),
    ...(author === AUTHOR ? [] : [`${name}: author must be "${AUTHOR}"`]),
    ...(license === 'MIT' ? [] : [`${name}: license must be "MIT"`]),
  ]
}
