import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { basename, join } from 'node:path'
import { PNPM, run } from './run.ts'

const ROOT = join(import.meta.dirname, '../../..')
const PACKAGES = ['types', 'options', 'client-address', 'log', 'core', 'access-log', 'static', 'sse', 'create']
/** Older than every minimum age that a package manager demands. */
const PUBLISHED = '2026-01-01T00:00:00.000Z'

/** Registry of the `@fw` packages on this machine. */
export interface Registry extends AsyncDisposable {
  readonly url: string
}

interface Packed {
  readonly name: string
  readonly version: string
  /** Absolute path of the tarball. */
  readonly filename: string
  readonly integrity: string
}

/** Packs the packages of this workspace, as a release would, and serves them. */
export async function startRegistry(folder: string): Promise<Registry> {
  const packed = await pack(folder)
  const documents = new Map<string, object>()
  const tarballs = new Map(packed.map(({ filename }) => [`/${basename(filename)}`, filename]))

  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '')
    const tarball = tarballs.get(path)
    const document = documents.get(path)
    if (tarball !== undefined) createReadStream(tarball).pipe(response)
    else if (document !== undefined) response.end(JSON.stringify(document))
    else response.writeHead(404).end()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  for (const each of packed) documents.set(`/${each.name}`, await documentOf(each, url))
  return {
    url,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function pack(folder: string): Promise<Packed[]> {
  await orThrow(['tsc', '-b', ...PACKAGES.map((name) => `packages/${name}`)])
  const filters = PACKAGES.flatMap((name) => ['--filter', `@fw/${name}`])
  const packed = await orThrow([...PNPM, ...filters, 'pack', '--json', '--pack-destination', folder])
  return JSON.parse(packed.slice(packed.indexOf('[\n'))) as Packed[]
}

/** @see https://github.com/npm/registry/blob/main/docs/responses/package-metadata.md */
async function documentOf({ name, version, filename, integrity }: Packed, url: string): Promise<object> {
  const manifest = JSON.parse(await orThrow(['tar', '-xzOf', filename, 'package/package.json'])) as object
  const dist = { integrity, tarball: `${url}${basename(filename)}` }
  return {
    name,
    'dist-tags': { latest: version },
    versions: { [version]: { ...manifest, dist } },
    time: { created: PUBLISHED, modified: PUBLISHED, [version]: PUBLISHED },
  }
}

async function orThrow(command: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await run(command, { cwd: ROOT })
  if (code !== 0) throw new Error(`${command.join(' ')} failed:\n${stdout}${stderr}`)
  return stdout
}
