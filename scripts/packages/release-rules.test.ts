import { describe, expect, it } from 'vitest'
import { checkRelease, type ReleaseManifest } from './release-rules.ts'

const GITHUB = { ACTIONS_ID_TOKEN_REQUEST_URL: 'https://token.example', ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'x' }
const REPOSITORY = { type: 'git', url: 'git+https://github.com/o/n.git', directory: 'packages/a' }
const GOOD: ReleaseManifest = { name: '@x/a', repository: REPOSITORY, publishConfig: { provenance: true } }

const problemsOf = (manifest: ReleaseManifest, environment: Record<string, string> = GITHUB): string[] =>
  checkRelease([{ directory: 'packages/a', manifest }], environment)

describe('checkRelease', () => {
  it.each([GITHUB, { GITLAB_CI: 'true', SIGSTORE_ID_TOKEN: 'x' }, { ...GITHUB, NPM_CONFIG_PROVENANCE: 'true' }])(
    'accepts a package with repository and provenance in a job with a token: %o',
    (environment) => {
      expect(problemsOf(GOOD, environment)).toEqual([])
    },
  )

  it('rejects a package without repository and names the command', () => {
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
  ])('rejects a release without a token of a CI service: %o', (environment) => {
    expect(problemsOf(GOOD, environment)).toEqual([expect.stringContaining('permissions: { id-token: write }')])
  })

  it('reports the problems of every package', () => {
    const manifests = ['a', 'b'].map((name) => ({ directory: `packages/${name}`, manifest: { name } }))
    expect(checkRelease(manifests, {})).toHaveLength(5)
  })
})
