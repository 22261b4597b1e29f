import { accessSync, constants } from 'node:fs'
import { createRequire } from 'node:module'
import { arch, platform } from 'node:os'
import { delimiter, join } from 'node:path'

/** Debian packages of the programs that do not come from npm. */
const PACKAGES = {
  wrk: 'wrk',
  h2load: 'nghttp2-client',
  nginx: 'nginx-light',
  caddy: 'caddy',
  taskset: 'util-linux',
  'g++': 'g++',
}

export type ProgramName = keyof typeof PACKAGES

/** The path of an installed program. Servers are in `sbin`, which users often do not have in their `PATH`. */
export function findProgram(name: ProgramName): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin']
  return folders.map((folder) => join(folder, name)).find(isExecutable)
}

/** Why a peer that needs the program cannot be measured; `undefined` if it can. */
export function missingProgram(name: ProgramName): string | undefined {
  if (findProgram(name) !== undefined) return undefined
  return `${name} is not installed; on Debian run scripts/install-bench-tools.sh (package ${PACKAGES[name]})`
}

/** @throws {Error} that says what to install, for the first program that is missing */
export function requirePrograms(names: readonly ProgramName[]): void {
  for (const name of names) {
    const reason = missingProgram(name)
    if (reason !== undefined) throw new Error(reason)
  }
}

/** Bun's own program: it comes in a package for each platform, so that nothing has to run at install time. */
export function findBun(): string | undefined {
  const cpu = arch() === 'arm64' ? 'aarch64' : arch()
  try {
    const ofBun = createRequire(createRequire(import.meta.url).resolve('bun/package.json'))
    return join(ofBun.resolve(`@oven/bun-${platform()}-${cpu}/package.json`), '..', 'bin', 'bun')
  } catch {
    // There is no Bun for every platform.
    return undefined
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    // Not there, or not for us: the next folder may have it.
    return false
  }
}
