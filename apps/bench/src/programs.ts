import { accessSync, constants } from 'node:fs'
import { createRequire } from 'node:module'
import { arch, platform } from 'node:os'
import { delimiter, join } from 'node:path'

/** Debian packages of the programs that npm does not provide. */
const PACKAGES = {
  wrk: 'wrk',
  h2load: 'nghttp2-client',
  nginx: 'nginx-light',
  caddy: 'caddy',
  taskset: 'util-linux',
  'g++': 'g++',
}

export type ProgramName = keyof typeof PACKAGES

/** Returns the path of an installed program. Also searches `sbin`, which is often not in a user's `PATH`. */
export function findProgram(name: ProgramName): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin']
  return folders.map((folder) => join(folder, name)).find(isExecutable)
}

/** Returns the reason why a peer that needs the program cannot be measured, or `undefined` if it can. */
export function missingProgram(name: ProgramName): string | undefined {
  if (findProgram(name) !== undefined) return undefined
  return `${name} is not installed; on Debian, run scripts/install-bench-tools.sh (package ${PACKAGES[name]})`
}

/** Checks that the programs are installed. @throws {Error} with the install command for the first missing one */
export function requirePrograms(names: readonly ProgramName[]): void {
  for (const name of names) {
    const reason = missingProgram(name)
    if (reason !== undefined) throw new Error(reason)
  }
}

/** Returns the path of Bun in its platform package, so that no install script has to run. */
export function findBun(): string | undefined {
  const cpu = arch() === 'arm64' ? 'aarch64' : arch()
  try {
    const ofBun = createRequire(createRequire(import.meta.url).resolve('bun/package.json'))
    return join(ofBun.resolve(`@oven/bun-${platform()}-${cpu}/package.json`), '..', 'bin', 'bun')
  } catch {
    // Bun is not available for every platform.
    return undefined
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    // Missing or not executable: try the next folder.
    return false
  }
}
