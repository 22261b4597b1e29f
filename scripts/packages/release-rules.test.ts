import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { publishedPackages, readManifest } from './published-package.ts'
import { checkRelease, type ReleaseManifest } from './release-rules.ts'

const GITHUB = { ACTIONS_ID_TOKEN_REQUEST_URL: 'https://token.example', ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'x' }
const REPOSITORY = { type: 'git', url: 'git+https://github.com/o/n.git', directory: 'packages/a' }
const GOOD: ReleaseManifest = {
  name: '@x/a',
  repository: REPOSITORY,
  homepage: 'https://fw.example',
  bugs: { url: 'https://fw.example/bugs' },
  publishConfig: { provenance: true },
  scripts: { prepublishOnly: 'node ../../scripts/check-release.ts' },
}

const problemsOf = (manifest: ReleaseManifest, environment: Record<string, string> = GITHUB): string[] =>
  checkRelease([{ directory: 'packages/a', manifest }], environment).errors

describe('checkRelease', () => {
  it.each([GITHUB, { GITLAB_CI: 'true', SIGSTORE_ID_TOKEN: 'x' }, { ...GITHUB, NPM_CONFIG_PROVENANCE: 'true' }])(
    'accepts a package with repository and provenance in a job with a token: %o',
    (environment) => {
      expect(problemsOf(GOOD, environment)).toEqual([])
    },
  )

  it('rejects a package without "repository" and names the command that sets it', () => {
    const { repository: _, ...manifest } = GOOD
    expect(problemsOf(manifest)).toEqual([
      '@x/a: package.json has no "repository". Run: (cd packages/a && npm pkg set repository.type=git ' +
        'repository.url=git+https://github.com/OWNER/NAME.git repository.directory=packages/a)',
    ])
  })

  it.each<ReleaseManifest['repository']>([
    'github:o/n',
    {},
    { ...REPOSITORY, type: 'svn' },
    { ...REPOSITORY, url: '' },
    { ...REPOSITORY, url: 'git@github.com:o/n.git' },
    { ...REPOSITORY, directory: 'packages/b' },
    { type: 'git', url: REPOSITORY.url },
  ])('rejects the repository %j', (repository) => {
    expect(problemsOf({ ...GOOD, ...(repository === undefined ? {} : { repository }) })).toEqual([
      expect.stringContaining(
        '@x/a: package.json has a "repository" without type, URL or directory. Run: (cd packages/a',
      ),
    ])
  })

  it.each(['homepage', 'bugs'] as const)('rejects a package without %s and names the command', (field) => {
    const { [field]: _, ...manifest } = GOOD
    expect(problemsOf(manifest)).toEqual([
      '@x/a: package.json has no "homepage" or "bugs". Run: (cd packages/a && npm pkg set ' +
        'homepage=https://github.com/o/n/tree/main/packages/a#readme bugs.url=https://github.com/o/n/issues)',
    ])
  })

  it('keeps a valid URL in the command', () => {
    const [problem] = problemsOf({ ...GOOD, repository: { ...REPOSITORY, directory: '.' } })
    expect(problem).toContain(`repository.url=${REPOSITORY.url} `)
  })

  it.each([{}, { provenance: false }])('rejects a package that does not enable provenance: %j', (publishConfig) => {
    expect(problemsOf({ ...GOOD, publishConfig })).toEqual([
      '@x/a: package.json does not enable provenance. ' +
        'Run: (cd packages/a && npm pkg set publishConfig.provenance=true --json)',
    ])
  })

  it.each([
    { ...GITHUB, NPM_CONFIG_PROVENANCE: 'false' },
    { ...GITHUB, npm_config_provenance: 'false' },
  ])('rejects a release with provenance disabled: %o', (environment) => {
    expect(problemsOf(GOOD, environment)).toEqual([expect.stringContaining('Run: unset NPM_CONFIG_PROVENANCE')])
  })

  it.each([
    {},
    { GITHUB_ACTIONS: 'true' },
    { ACTIONS_ID_TOKEN_REQUEST_URL: 'https://token.example' },
    { SIGSTORE_ID_TOKEN: 'x' },
  ])('rejects a release without a token from a CI service: %o', (environment) => {
    expect(problemsOf(GOOD, environment)).toEqual([expect.stringContaining('permissions: { id-token: write }')])
  })

  it.each([undefined, {}, { prepublishOnly: 'echo' }])('rejects a package that skips the check: %j', (scripts) => {
    const { scripts: _, ...manifest } = GOOD
    expect(problemsOf({ ...manifest, ...(scripts === undefined ? {} : { scripts }) })).toEqual([
      '@x/a: package.json does not run this check before it is published. ' +
        "Run: (cd packages/a && npm pkg set scripts.prepublishOnly='node ../../scripts/check-release.ts')",
    ])
  })

  it('reports the problems of every package', () => {
    const manifests = ['a', 'b'].map((name) => ({ directory: `packages/${name}`, manifest: { name } }))
    expect(checkRelease(manifests, {}).errors).toHaveLength(7)
  })

  it('accepts a dry run without a token, and warns of a missing repository', () => {
    const { publishConfig, scripts } = GOOD
    const manifest = { name: '@x/a', ...(publishConfig && { publishConfig }), ...(scripts && { scripts }) }
    expect(checkRelease([{ directory: 'packages/a', manifest }], {}, true)).toEqual({
      errors: [],
      warnings: [expect.stringContaining('@x/a: package.json has no "repository"')],
    })
    expect(checkRelease([{ directory: 'packages/a', manifest: GOOD }], {}, true)).toEqual({ errors: [], warnings: [] })
  })

  it('rejects a package that does not enable provenance in a dry run', () => {
    const { publishConfig: _, ...manifest } = GOOD
    expect(checkRelease([{ directory: 'packages/a', manifest }], {}, true).errors).toEqual([
      expect.stringContaining('does not enable provenance'),
    ])
  })
})

describe('a published package of this workspace', () => {
  const packages = publishedPackages(join(import.meta.dirname, '../..'))

  it.each(packages)('runs the check before it is published: $name', ({ name, folder }) => {
    const { repository, homepage, bugs } = GOOD
    const links = { ...(repository && { repository }), ...(homepage && { homepage }), ...(bugs && { bugs }) }
    const manifest = { ...(readManifest(folder) as ReleaseManifest), ...links }
    expect(problemsOf(manifest).filter((problem) => problem.startsWith(`${name}:`))).toEqual([])
  })
})
