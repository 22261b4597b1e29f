/** Properties of `package.json` on which a release depends. */
export interface ReleaseManifest {
  readonly name: string
  readonly repository?: { readonly type?: string; readonly url?: string; readonly directory?: string } | string
  readonly homepage?: string
  readonly bugs?: { readonly url?: string } | string
  readonly publishConfig?: { readonly provenance?: boolean }
  readonly scripts?: { readonly prepublishOnly?: string }
}

/** Package to publish. */
export interface ReleasePackage {
  /** Path from the repository root: `packages/core`. */
  readonly directory: string
  readonly manifest: ReleaseManifest
}

/** Findings about a release. */
export interface ReleaseFindings {
  /** Problems that prevent the release, each with the command that fixes it. */
  readonly errors: string[]
  /** Problems that prevent a real release, but not a dry run. */
  readonly warnings: string[]
}

type Environment = Readonly<Record<string, string | undefined>>

const REPOSITORY_URL = /^git\+https:\/\/[^/]+\/.+\.git$/
/** Script that runs the check before each command that publishes the package. */
const HOOK = 'node ../../scripts/check-release.ts'
const EXAMPLE_URL = 'git+https://github.com/OWNER/NAME.git'

/**
 * Checks that users can trace each package to its source through its `repository` field and through provenance that the
 * registry verifies. Also checks that each package runs this check before it is published. A dry run needs no token, and only
 * warns of a missing repository.
 *
 * @see https://docs.npmjs.com/generating-provenance-statements
 */
export function checkRelease(
  packages: readonly ReleasePackage[],
  environment: Environment,
  isDryRun = false,
): ReleaseFindings {
  const repository = packages.flatMap(checkRepository)
  const own = packages.flatMap((each) => [...checkProvenance(each), ...checkHook(each)])
  if (isDryRun) return { errors: own, warnings: repository }
  return { errors: [...repository, ...own, ...checkToken(environment)], warnings: [] }
}

function checkRepository({ directory, manifest }: ReleasePackage): string[] {
  const { name, repository } = manifest
  const given = typeof repository === 'object' ? repository : undefined
  const url = given?.url !== undefined && REPOSITORY_URL.test(given.url) ? given.url : undefined
  if (given?.type === 'git' && url !== undefined && given.directory === directory)
    return checkLinks(url, { directory, manifest })
  const type = `npm pkg set repository.type=git repository.url=${url ?? EXAMPLE_URL} repository.directory=${directory}`
  const problem = repository === undefined ? 'has no "repository"' : 'has a "repository" without type, URL or directory'
  return [`${name}: package.json ${problem}. Run: (cd ${directory} && ${type})`]
}

/** Checks the links that registries show, which are derived from the repository URL. */
function checkLinks(repositoryUrl: string, { directory, manifest }: ReleasePackage): string[] {
  const { name, homepage, bugs } = manifest
  const isComplete = homepage !== undefined && (typeof bugs === 'string' ? bugs : bugs?.url) !== undefined
  if (isComplete) return []
  const url = repositoryUrl.replace(/^git\+/, '').replace(/\.git$/, '')
  const fields = `homepage=${url}/tree/main/${directory}#readme bugs.url=${url}/issues`
  return [`${name}: package.json has no "homepage" or "bugs". Run: (cd ${directory} && npm pkg set ${fields})`]
}

function checkProvenance({ directory, manifest }: ReleasePackage): string[] {
  if (manifest.publishConfig?.provenance === true) return []
  const type = `(cd ${directory} && npm pkg set publishConfig.provenance=true --json)`
  return [`${manifest.name}: package.json does not enable provenance. Run: ${type}`]
}

/** Checks that no command can publish the package without this check. */
function checkHook({ directory, manifest }: ReleasePackage): string[] {
  if (manifest.scripts?.prepublishOnly === HOOK) return []
  const type = `(cd ${directory} && npm pkg set scripts.prepublishOnly='${HOOK}')`
  return [`${manifest.name}: package.json does not run this check before it is published. Run: ${type}`]
}

/** Checks for the OIDC token that signs the provenance. Only GitHub Actions and GitLab CI issue one. */
function checkToken(environment: Environment): string[] {
  if (environment['NPM_CONFIG_PROVENANCE'] === 'false' || environment['npm_config_provenance'] === 'false') {
    return ['NPM_CONFIG_PROVENANCE is false. Run: unset NPM_CONFIG_PROVENANCE npm_config_provenance']
  }
  const isGitHub = Boolean(environment['ACTIONS_ID_TOKEN_REQUEST_URL'] && environment['ACTIONS_ID_TOKEN_REQUEST_TOKEN'])
  const isGitLab = Boolean(environment['GITLAB_CI'] && environment['SIGSTORE_ID_TOKEN'])
  if (isGitHub || isGitLab) return []
  return [
    'Provenance needs an OIDC token from a CI service. Run `pnpm release` in a job of GitHub Actions with ' +
      '`permissions: { id-token: write }`, or of GitLab CI with `id_tokens: { SIGSTORE_ID_TOKEN: { aud: sigstore } }`',
  ]
}
