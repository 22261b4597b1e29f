/** The dependencies of a published package that its users install too. */
export interface PublishedDependencies {
  readonly name: string
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

/** Accepts `^1.2.3`, `>=1`, `workspace:^`; not `1.2.3`, `workspace:*`, `*` or the tag `latest`. */
const RANGE = /^(?:workspace:)?(?:[\^~]|>=)(?:\d|$)/

/**
 * Checks that the dependencies of a published package are ranges. With an exact version users would wait for our next
 * release to get a security fix, and have two copies of packages that they also depend on.
 *
 * @param catalog The versions that `catalog:` stands for
 * @returns One sentence for each exact version
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
        `${name} depends on ${each} ${version}. Write a range, for example ^${version.replace(/^\D+/, '')}`,
    )
}

/** Reads the default catalog of a `pnpm-workspace.yaml`. */
export function readCatalog(yaml: string): Readonly<Record<string, string>> {
  const [, lines = ''] = /^catalog:\n((?: {2}.*\n)*)/m.exec(yaml) ?? []
  return Object.fromEntries(
    [...lines.matchAll(/^ {2}'?([^':]+)'?: '?([^'\n]+)'?$/gm)].map(([, name = '', version = '']) => [name, version]),
  )
}
