import { createWriteStream, type WriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import * as log from '@fw/log'
import { tempFolder, type ServerDemand, type TempFolder } from '@fw/testing'
import type { Context, MultipartPart } from '@fw/types'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { Server } from '../src/index.ts'
import { everyWay } from './every-way.ts'

const HEADERS = [['content-type', 'multipart/form-data; boundary=b']] as const
const END = '--b--\r\n'

let folder: TempFolder
let files: WriteStream[] = []
let lateRead: Promise<Uint8Array> | undefined

beforeAll(async () => {
  log.setSinks([])
  folder = await tempFolder()
})
afterAll(() => folder[Symbol.asyncDispose]())

everyWay('a multipart upload', start, (client) => {
  const post = async (path: string, slices: readonly string[]): Promise<[status: number, text: string]> => {
    const response = await client().request({ path, headers: HEADERS, body: apart(slices) })
    return [response.status, await response.text()]
  }

  it.each([
    ['first', [`${partOf('', 'x')}${headOf('b')}y`, `z\r\n${END}`]],
    ['last', [`${headOf('a')}x`, `y\r\n${partOf('', 'z')}${END}`]],
    ['between two others', [`${headOf('a')}x`, `y\r\n${partOf('', 'z')}${headOf('b')}y`, `z\r\n${END}`]],
  ])('receives 400 for a part without a name that arrives %s, and closes every file', async (_, slices) => {
    files = []
    const [status, text] = await post('/files', slices)
    expect([status, text]).toEqual([400, expect.stringContaining('A part of the body has no name')])
    await expect.poll(() => files.filter((file) => !file.closed)).toEqual([])
  })

  it.each([
    ['no content-disposition', 'content-type: text/plain\r\n\r\nx'],
    ['no fields', '\r\nx'],
    ['a disposition other than form-data', 'content-disposition: attachment; name="c"\r\n\r\nx'],
    ['a line break in its name', 'content-disposition: form-data; name="a\nb"\r\n\r\nx'],
    ['an incomplete head', 'content-disposition: form-data; name="c"'],
  ])('receives 400 for a part with %s, and closes every file', async (_, part) => {
    for (const after of ['', partOf('; name="d"', 'z')]) {
      files = []
      const [status, text] = await post('/files', [`${headOf('a')}x`, `y\r\n--b\r\n${part}\r\n${after}${END}`])
      expect([status, text]).toEqual([400, expect.stringContaining('A part of the body has no name')])
      await expect.poll(() => files.filter((file) => !file.closed)).toEqual([])
    }
  })

  it.each([
    [5, 200],
    [6, 413],
  ])(
    'responds to a part of %d bytes with %d if limits.maxFileBytes is 5, and closes every file',
    async (bytes, expected) => {
      for (const slices of [['x'.repeat(bytes)], Array<string>(bytes).fill('x')]) {
        files = []
        const [status, text] = await post('/limited', [
          headOf('a'),
          ...slices,
          `\r\n${partOf('; name="b"', 'y')}${END}`,
        ])
        expect(status).toBe(expected)
        expect(text).toContain(expected === 200 ? '' : 'A part of the body has more than 5 bytes')
        await expect.poll(() => files.filter((file) => !file.closed)).toEqual([])
      }
    },
  )

  it.each([
    ['no parts', END, '[]'],
    ['text around its parts', `before\r\n${partOf('; name="a"', 'x')}${END}after`, '["a"]'],
  ])('can contain %s', async (_, body, names) => {
    expect(await post('/beginnings', [body])).toEqual([200, names])
  })

  it('causes no warning for a part of any size', async () => {
    const warnings: Error[] = []
    const note = (warning: Error): void => void warnings.push(warning)
    process.on('warning', note)
    const slices = Array.from({ length: 30 }, () => 'x'.repeat(100_000))
    const body = apart([headOf('a'), ...slices, `\r\n${END}`], 1)
    const response = await client().request({ path: '/slow', headers: HEADERS, body })
    expect([response.status, await response.text()]).toEqual([200, '3000000'])
    process.off('warning', note)
    expect(warnings).toEqual([])
  })

  it('skips the rest of a part whose iteration ends early', async () => {
    const large = 'x'.repeat(200_000)
    const slices = [headOf('a'), large, large, `\r\n${partOf('; name="b"', 'y')}${END}`]
    expect(await post('/beginnings', slices)).toEqual([200, '["a","b"]'])
  })

  it('rejects a read that is still in progress when the loop over the parts ends', async () => {
    lateRead = undefined
    const body = (async function* () {
      yield Buffer.from(`${headOf('a')}x`)
      while (lateRead === undefined) await sleep(5)
      yield Buffer.from(`y\r\n${END}`)
    })()
    const response = await client().request({ path: '/left', headers: HEADERS, body })
    expect([response.status, await response.text()]).toEqual([200, 'left'])
    await expect(lateRead).rejects.toThrow('part must be read before the loop over the parts ends')
  })

  it('returns the content of a part that is complete when the loop over the parts ends', async () => {
    lateRead = undefined
    expect(await post('/left', [`${partOf('; name="a"', 'xyz')}${END}`])).toEqual([200, 'left'])
    await expect(lateRead).resolves.toEqual(Buffer.from('xyz'))
  })
})

/** Writes each part to a file. */
async function saveParts(ctx: Context): Promise<void> {
  for await (const part of ctx.parts()) {
    const file = createWriteStream(folder.join(part.name))
    files.push(file)
    await pipeline(part, file)
  }
  ctx.text('saved')
}

async function start(demand: ServerDemand): Promise<Server & { readonly port: number }> {
  const server = new Server({ ...(demand.tls === undefined ? {} : { tls: demand.tls }), http3: demand.http3 })
  server
    .router()
    .post('/files', saveParts)
    .post('/limited', { limits: { maxFileBytes: 5 } }, saveParts)
    .post('/slow', { limits: { maxBodyBytes: 16 * 1024 * 1024 } }, async (ctx) => {
      let bytes = 0
      for await (const part of ctx.parts()) {
        for await (const slice of part) {
          bytes += slice.byteLength
          await setImmediate()
        }
      }
      return bytes
    })
    .post('/beginnings', async (ctx) => {
      const names: string[] = []
      for await (const part of ctx.parts()) {
        names.push(part.name)
        for await (const _ of part) break
      }
      return names
    })
    .post('/left', async (ctx) => {
      let first: MultipartPart | undefined
      for await (const part of ctx.parts()) {
        first = part
        break
      }
      lateRead = first?.bytes()
      lateRead?.catch(() => {})
      return 'left'
    })
  const { port = 0 } = await server.listen({ port: 0, host: '127.0.0.1' })
  return Object.assign(server, { port })
}

function headOf(name: string): string {
  return `--b\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n`
}

function partOf(parameters: string, content: string): string {
  return `--b\r\ncontent-disposition: form-data${parameters}\r\n\r\n${content}\r\n`
}

/** Yields the slices of a body with pauses, so that each arrives separately. */
async function* apart(slices: readonly string[], pauseMs = 20): AsyncGenerator<Uint8Array> {
  for (const slice of slices) {
    yield Buffer.from(slice)
    await sleep(pauseMs)
  }
}
