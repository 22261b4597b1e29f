// Compares the responses for every file of real sites with those from nginx: node src/static/sites.ts
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative, sep } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompressSync, constants, gunzipSync, brotliDecompressSync, gzipSync } from 'node:zlib'
import type { ServerProcess } from '../server-process.ts'
import { STATIC_PEERS } from './peers.ts'

const SITES = ['swagger-ui-dist', '@fontsource/inter', 'monaco-editor', 'pdfjs-dist']
/** Files for which sidecars are written. */
const COMPRESSED = /\.(?:css|js|mjs|html|json|map|svg|txt)$/
/** Media types that have several names. All other types must be equal. */
const SYNONYMS: Readonly<Record<string, string>> = {
  'text/javascript': 'application/javascript',
  'text/xml': 'application/xml',
  'image/vnd.microsoft.icon': 'image/x-icon',
}

interface Got {
  readonly status: number
  readonly type: string
  readonly coding: string
  readonly hash: string
}

const run = promisify(execFile)
const scratch = await mkdtemp(join(tmpdir(), 'fw-sites-'))
let problemCount = 0
try {
  await writeFile(join(scratch, 'package.json'), '{}')
  await run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', ...SITES], { cwd: scratch })
  for (const site of SITES) await compare(site, join(scratch, 'node_modules', site))
} finally {
  await rm(scratch, { recursive: true, force: true })
}
process.exitCode = problemCount === 0 ? 0 : 1

async function compare(site: string, directory: string): Promise<void> {
  const names = await filesOf(directory)
  let sidecars = 0
  for (const name of names) {
    if (!COMPRESSED.test(name)) continue
    const bytes = await readFile(join(directory, name))
    const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }
    await writeFile(join(directory, `${name}.br`), brotliCompressSync(bytes, quality))
    await writeFile(join(directory, `${name}.gz`), gzipSync(bytes))
    sidecars += 2
  }
  await using ours = await start('fw', directory)
  await using nginx = await start('nginx', directory)
  const types = new Map<string, number>()
  let same = 0
  for (const name of names) {
    const path = `/${name.split(sep).map(encodeURIComponent).join('/')}`
    const expected = await get(nginx.port, path, 'identity')
    for (const coding of ['identity', 'gzip', 'br']) {
      const got = await get(ours.port, path, coding)
      const isCoded = coding !== 'identity' && COMPRESSED.test(name)
      const problems = [
        got.status !== expected.status && `status ${got.status}, expected ${expected.status}`,
        got.hash !== expected.hash && 'different body',
        got.coding !== (isCoded ? coding : 'identity') && `coding ${got.coding}`,
      ].filter((problem) => problem !== false)
      problemCount += problems.length
      if (problems.length === 0) same++
      else process.stdout.write(`${site} ${path} (${coding}): ${problems.join(', ')}\n`)
      if (coding === 'identity' && got.type !== expected.type) {
        const difference = `${got.type}, nginx: ${expected.type}`
        types.set(difference, (types.get(difference) ?? 0) + 1)
      }
    }
  }
  process.stdout.write(
    `${site}: ${names.length} files, ${sidecars} sidecars, ${same} of ${names.length * 3} responses are equal\n`,
  )
  for (const [difference, count] of types) process.stdout.write(`  ${count} files: ${difference}\n`)
}

async function start(name: string, directory: string): Promise<ServerProcess> {
  const peer = STATIC_PEERS.find((each) => each.name === name)
  if (peer === undefined) throw new Error(`Unknown peer ${name}`)
  return peer.start({ directory }, scratch)
}

/** Returns the relative paths of the served files: no dot files, no sidecars, no `..`. */
async function filesOf(directory: string): Promise<readonly string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(directory, join(entry.parentPath, entry.name)))
    .filter((name) => !/(?:^|\/)\.|\.\.|\.(?:br|gz)$/.test(name))
}

async function get(port: number, path: string, coding: string): Promise<Got> {
  // `fetch` would decode the body and set its own `accept-encoding`.
  const { request } = await import('node:http')
  const { promise, resolve, reject } = Promise.withResolvers<Got>()
  request({ port, host: '127.0.0.1', path, headers: { 'accept-encoding': coding } }, (response) => {
    const chunks: Buffer[] = []
    response.on('data', (chunk: Buffer) => chunks.push(chunk))
    response.on('error', reject)
    response.on('end', () => {
      const sent = Buffer.concat(chunks)
      const used = response.headers['content-encoding'] ?? 'identity'
      const body = used === 'br' ? brotliDecompressSync(sent) : used === 'gzip' ? gunzipSync(sent) : sent
      const type = (response.headers['content-type'] ?? '').split(';', 1)[0] ?? ''
      const hash = createHash('sha256').update(body).digest('hex')
      resolve({ status: response.statusCode ?? 0, type: SYNONYMS[type] ?? type, coding: used, hash })
    })
  })
    .on('error', reject)
    .end()
  return promise
}
