/** Dependencies of a published package that its users install. */
export interface PublishedDependencies {
  readonly name: string
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

/** Matches `^1.2.3`, `>=1` and `workspace:^`, but not `1.2.3`, `workspace:*`, `*` or the tag `latest`. */
const RANGE = /^(?:workspace:)?(?:[\^~]|>=)(?:\d|$)/

/**
 * Checks that the dependencies of a published package are version ranges. With an exact version, users would get a security fix
 * only with our next release. They would also install a second copy of packages that they depend on.
 *
 * @param catalog Versions to which `catalog:` refers
 * @returns one error per exact version
 */
export function checkDependencyRanges(
  manifest: PublishedDependencies,
  catalog: Readonly<Record<string, string>>,
): string[] {
  const { name, dependencies, peerDependencies, optionalDependencies } = manifest
  const all = { ...dependencies, ...optionalDependencies, ...peerDependencies }
  return Object.entries(all)
    .map(([each, version]) => [each, version === 'catalog:' ? (catalog[each] ?? version) : version] as const)
    .filter(([, version]) => !RANGE.test(version))
    .map(
      ([each, version]) =>
        `${name}: dependency ${each} must be a version range, got ${version}. Use, for example, ^${version.replace(/^\D+/, '')}`,
    )
}

/** Reads the default catalog of a `pnpm-workspace.yaml`. */
export function readCatalog(yaml: string): Readonly<Record<string, string>> {
  const [, lines = ''] = /^catalog:\n((?: {2}.*\n)*)/m.exec(yaml) ?? []
  return Object.fromEntries(
    [...lines.matchAll(/^ {2}'?([^':]+)'?: '?([^'\n]+)'?$/gm)].map(([, name = '', version = '']) => [name, version]),
  )
}
