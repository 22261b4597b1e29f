import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createReadStream, existsSync, readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { basename, join } from 'node:path'
import { PNPM, run } from './run.ts'

const ROOT = join(import.meta.dirname, '../../..')
/** Third-party packages that are installed in the workspace: `<name>@<version>…/node_modules/<name>`. */
const INSTALLED = join(ROOT, 'node_modules/.pnpm')
const installed = readdirSync(INSTALLED)
const PACKAGES = [
  'types',
  'options',
  'client-address',
  'http-fields',
  'log',
  'core',
  'access-log',
  'static',
  'sse',
  'create',
]
/** Publication time that satisfies the minimum age of any package manager. */
const PUBLISHED = '2026-01-01T00:00:00.000Z'

/**
 * Registry on this machine. It contains the `@fw` packages and the installed third-party packages, so that tests do not depend
 * on a network. All other packages are missing, such as the TypeScript binaries for other platforms.
 */
export interface Registry extends AsyncDisposable {
  readonly url: string
}

interface Manifest {
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

interface Packed {
  readonly name: string
  readonly version: string
  /** Absolute path of the tarball. */
  readonly filename: string
  readonly integrity: string
}

/** Packs the packages in this workspace, as a release would, and serves them. */
export async function startRegistry(folder: string): Promise<Registry> {
  const documents = new Map<string, Promise<object | undefined>>()
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '')
    if (path.endsWith('.tgz')) {
      const tarball = createReadStream(join(folder, basename(path)))
      tarball.on('error', () => response.writeHead(404).end())
      tarball.pipe(response)
      return
    }
    const name = path.slice(1)
    let document = documents.get(name)
    if (document === undefined) {
      document = packInstalled(name, folder).then((packed) => documentOf(packed, url))
      documents.set(name, document)
    }
    document.then(
      (found) => (found === undefined ? response.writeHead(404).end() : response.end(JSON.stringify(found))),
      (error: unknown) => response.writeHead(500).end(String(error)),
    )
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  for (const each of await pack(folder)) documents.set(each.name, documentOf([each], url))
  return {
    url,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Reports whether any version is installed, which is not the case for binaries for other platforms. */
function isInstalled(name: string): boolean {
  return installed.some((entry) => entry.startsWith(`${name.replace('/', '+')}@`))
}

/** Packs every installed version of a package. */
async function packInstalled(name: string, folder: string): Promise<Packed[]> {
  if (!/^(?:@[\w.-]+\/)?[\w.-]+$/.test(name)) return []
  const id = name.replace('/', '+')
  const packed = new Map<string, Packed>()
  for (const entry of installed) {
    const directory = join(INSTALLED, entry, 'node_modules', name)
    if (!entry.startsWith(`${id}@`) || !existsSync(directory)) continue
    const { version } = JSON.parse(await readFile(join(directory, 'package.json'), 'utf8')) as { version: string }
    // There is one copy per set of peer dependencies.
    if (packed.has(version)) continue
    const filename = join(folder, `${id}-${version}.tgz`)
    // The transformation replaces the `.` at the start of each path. npm skips hard links, which pnpm creates for equal
    // files.
    const rules = ['--hard-dereference', '--exclude=./node_modules', '--transform=s,^[.],package,']
    const files = [...rules, '-C', directory, '.']
    await orThrow(['tar', '-cf', filename, '--use-compress-program=gzip -1', ...files])
    const hash = createHash('sha512').update(await readFile(filename))
    packed.set(version, { name, version, filename, integrity: `sha512-${hash.digest('base64')}` })
  }
  return [...packed.values()].toSorted((a, b) => a.version.localeCompare(b.version, 'en', { numeric: true }))
}

async function pack(folder: string): Promise<Packed[]> {
  await orThrow(['tsc', '-b', ...PACKAGES.map((name) => `packages/${name}`)])
  const filters = PACKAGES.flatMap((name) => ['--filter', `@fw/${name}`])
  const packed = await orThrow([...PNPM, ...filters, 'pack', '--json', '--pack-destination', folder])
  return JSON.parse(packed.slice(packed.indexOf('[\n'))) as Packed[]
}

/**
 * Describes the versions of a package. Returns `undefined` if no version is installed.
 *
 * @see https://github.com/npm/registry/blob/main/docs/responses/package-metadata.md
 */
async function documentOf(packed: readonly Packed[], url: string): Promise<object | undefined> {
  const newest = packed.at(-1)
  if (newest === undefined) return undefined
  const versions: Record<string, object> = {}
  const time: Record<string, string> = { created: PUBLISHED, modified: PUBLISHED }
  for (const { version, filename, integrity } of packed) {
    const manifest = JSON.parse(await orThrow(['tar', '-xzOf', filename, 'package/package.json'])) as Manifest
    const optional = Object.entries(manifest.optionalDependencies ?? {}).filter(([name]) => isInstalled(name))
    versions[version] = {
      ...manifest,
      optionalDependencies: Object.fromEntries(optional),
      dist: { integrity, tarball: `${url}${basename(filename)}` },
    }
    time[version] = PUBLISHED
  }
  return { name: newest.name, 'dist-tags': { latest: newest.version }, versions, time }
}

async function orThrow(command: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await run(command, { cwd: ROOT })
  if (code !== 0) throw new Error(`${command.join(' ')} failed:\n${stdout}${stderr}`)
  return stdout
}
