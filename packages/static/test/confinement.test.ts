// No request may read a file outside the directory. `FUZZ_RUNS=100000` runs a longer search.
import { mkdirSync, symlinkSync, unlinkSync } from 'node:fs'
import { dirname } from 'node:path'
import { connectH1, tempFolder, type ProtocolClient, type TempFolder } from '@fw/testing'
import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sendFile, staticFiles, type StaticFilesOptions } from '../src/index.ts'
import { serve, type Served } from './serve.ts'

const RUNS = Number(process.env['FUZZ_RUNS'] ?? 1500)
/** The content of every file outside the directory. No file inside it has this content. */
const CANARY = 'a canary from outside'
const INSIDE = 'served'

const FILES = {
  'secret.txt': CANARY,
  'index.html': CANARY,
  'a.txt.gz': CANARY,
  'root-secret/s.txt': CANARY,
  'root.txt': CANARY,
  'other/a.txt': CANARY,
  'other/index.html': CANARY,
  'root/a.txt': INSIDE,
  'root/index.html': INSIDE,
  'root/dir/a.txt': INSIDE,
  'root/dir/index.html': INSIDE,
  'root/dir/deep/a.txt': INSIDE,
  'root/.env': INSIDE,
  'root/%2e%2e/a.txt': INSIDE,
}

const anyOf = (names: string): fc.Arbitrary<string> => fc.constantFrom(...names.split(' '))

/** File names, and spellings that some servers read as a parent directory or a separator. */
const name = anyOf(
  'a.txt dir deep index.html secret.txt root root.txt root-secret s.txt other .env l0 l1 l2 l3 l4 l5 a.txt.gz ' +
    'tmp etc passwd proc self cwd environ',
)
const up = anyOf(
  '.. . ... ..; ..;x=1 %2e%2e %2E%2E .%2e %2e. %252e%252e %c0%ae%c0%ae %e0%80%ae. ..%00 ..%20 ..%09 %u002e%u002e ' +
    '%uff0e%uff0e %ef%bc%8e%ef%bc%8e ..\u00a0 .\\. %2e%2e%2e',
)
const separator = anyOf(
  '/ / / / // /./ \\ %2f %2F %5c %5C %252f %255c %c0%af %00 ;/ : %e2%88%95 %ef%bc%8f ? # %3f %23 /..%2f /%2e%2e%5c',
)
const noise = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 6 }).map((text) => text.replaceAll(/[\s\0]/g, '')),
  fc.integer({ min: 0, max: 255 }).map((byte) => `%${byte.toString(16).padStart(2, '0')}`),
)
const piece = fc.oneof(
  { weight: 4, arbitrary: name },
  { weight: 3, arbitrary: up },
  { weight: 5, arbitrary: separator },
  { weight: 1, arbitrary: noise },
)
const start = fc.constantFrom(
  '/',
  '/',
  '/',
  '/sub/',
  '/any/x/',
  '/send/',
  '/send',
  '//',
  '/\\',
  'http://x/',
  'http://x',
  '/%2f',
  '/%5c',
)
const target = fc
  .tuple(start, fc.array(piece, { maxLength: 10 }))
  .map(([first, pieces]) => Buffer.from(first + pieces.join('')).toString('latin1'))
  // An empty target or one with a space makes the request line invalid.
  .filter((text) => !/[\s\0]/.test(text))

const linkTarget = fc.oneof(
  fc.array(fc.constantFrom('..', '.', 'dir', 'root', 'other', 'a.txt', 'l1', 'l2', 'deep', 'secret.txt'), {
    minLength: 1,
    maxLength: 4,
  }),
  fc.constantFrom(
    ['..'],
    ['..', 'secret.txt'],
    ['..', 'other'],
    ['..', 'root-secret', 's.txt'],
    ['l0'],
    ['..', 'root'],
  ),
)
const link = fc.tuple(fc.constantFrom('l0', 'l1', 'l2', 'dir/l3', 'dir/l4', 'l5', 'a.txt.gz'), linkTarget, fc.boolean())

describe.each<[string, StaticFilesOptions]>([
  ['the defaults', {}],
  ['everything allowed except leaving the directory', { dotfiles: 'allow', dotdot: 'segment', spa: true }],
  ['no cache and no links', { cacheInMemory: false, symlinks: 'deny', dotfiles: 'allow', dotdot: 'segment' }],
])('staticFiles with %s', (_, options) => {
  let folder: TempFolder
  let server: Served
  let client: ProtocolClient

  beforeAll(async () => {
    folder = await tempFolder(FILES)
    const root = folder.join('root')
    server = await serve((router) => {
      staticFiles(router, '/', root, options)
      staticFiles(router, '/sub', root, options)
      staticFiles(router, '/any/:one', root, options)
      // The route parameter is already decoded.
      router.get('/send/*name', (ctx) => sendFile(ctx, ctx.params.name, { root }))
    })
    client = await connectH1({ port: server.port })
  })
  afterAll(async () => {
    await client.close()
    await server[Symbol.asyncDispose]()
    await folder[Symbol.asyncDispose]()
  })

  const ask = async (path: string): Promise<string> => {
    const response = await client.request({ path, headers: [['accept-encoding', 'gzip']] })
    const text = await response.text()
    expect(response.status).toBeLessThan(500)
    expect(new URL(response.headers.get('location') ?? '', 'http://here/').host).toBe('here')
    return text
  }

  it('does not read files outside the directory for any target', async () => {
    let served = 0
    await fc.assert(
      fc.asyncProperty(target, async (path) => {
        const text = await ask(path)
        expect(text).not.toContain(CANARY)
        if (text === INSIDE) served++
      }),
      { numRuns: RUNS },
    )
    // If the server refused every target, the test would prove nothing.
    expect(served).toBeGreaterThan(RUNS / 100)
  })

  it('does not read files outside the directory through any link', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(link, { minLength: 1, maxLength: 6 }),
        fc.array(name, { maxLength: 4 }),
        async (links, names) => {
          const made: string[] = []
          for (const [at, to, isAbsolute] of links) {
            const path = folder.join('root', at)
            if (made.includes(path)) continue
            mkdirSync(dirname(path), { recursive: true })
            symlinkSync(isAbsolute ? folder.join(...to) : to.join('/'), path)
            made.push(path)
          }
          try {
            const below = names.join('/')
            const paths = links.flatMap(([at]) => [`/${at}`, `/${at}/`, `/${at}/${below}`, `/send/${at}/${below}`])
            for (const path of [...paths, '/a.txt']) expect(await ask(path)).not.toContain(CANARY)
          } finally {
            for (const path of made) unlinkSync(path)
          }
        },
      ),
      { numRuns: RUNS / 10 },
    )
  })
})

it('detects a file from outside the directory', async () => {
  await using folder = await tempFolder(FILES)
  symlinkSync('../secret.txt', folder.join('root/l0'))
  await using server = await serve((router) => staticFiles(router, '/', folder.join('root'), { symlinks: 'follow' }))
  expect((await server.ask('/l0')).text).toBe(CANARY)
})
