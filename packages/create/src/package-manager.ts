/** Commands of a package manager. */
export interface PackageManager {
  readonly name: string
  /** Command that starts this program, before its flags. */
  readonly create: string
  /** Command that installs the dependencies in `package.json`. */
  readonly install: string
  /** Command that installs one dependency, before its name. */
  readonly add: string
  /** Command that runs a script, before its name. */
  readonly run: string
  /** Lockfile that contains the installed versions. */
  readonly lockfile: string
  /** Command that installs the versions from the lockfile in an image that contains only npm. */
  readonly installInImage: string
}

const MANAGERS: readonly PackageManager[] = [
  {
    name: 'npm',
    create: 'npm create @fw@latest --',
    install: 'npm install',
    add: 'npm install',
    run: 'npm run',
    lockfile: 'package-lock.json',
    installInImage: 'npm ci --omit=dev',
  },
  {
    name: 'pnpm',
    create: 'pnpm create @fw@latest',
    install: 'pnpm install',
    add: 'pnpm add',
    run: 'pnpm run',
    lockfile: 'pnpm-lock.yaml',
    installInImage: 'npx --yes pnpm install --prod --frozen-lockfile',
  },
  {
    name: 'yarn',
    create: 'yarn create @fw',
    install: 'yarn install',
    add: 'yarn add',
    run: 'yarn run',
    lockfile: 'yarn.lock',
    installInImage: 'npx --yes yarn install --production --frozen-lockfile',
  },
  {
    name: 'bun',
    create: 'bun create @fw@latest',
    install: 'bun install',
    add: 'bun add',
    run: 'bun run',
    lockfile: 'bun.lock',
    installInImage: 'npx --yes bun install --production --frozen-lockfile',
  },
]

/**
 * Returns the package manager that started this process, or npm.
 *
 * @param userAgent `npm_config_user_agent`: `pnpm/12.21.0 npm/? node/v26.10.0 linux x64`
 */
export function packageManager(userAgent = ''): PackageManager {
  const [npm] = MANAGERS
  const found = MANAGERS.find(({ name }) => userAgent.startsWith(`${name}/`)) ?? npm
  if (found === undefined) throw new Error('No package manager is known')
  return found
}
