import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { tempFolder, type TempFolder } from '@fw/testing'
import { afterAll, beforeAll, beforeEach, afterEach, describe, expect, it } from 'vitest'
import { digest, LARGE, MIB, startInterop, type InteropServer } from './interop-server.ts'

const run = promisify(execFile)
/** Directory of the Go package sources in Debian. */
const GO_PACKAGES = '/usr/share/gocode'

let folder: TempFolder
let program: string
let server: InteropServer

beforeAll(async () => {
  folder = await tempFolder()
  program = folder.join('client')
  const source = fileURLToPath(new URL('quic-go/main.go', import.meta.url))
  // Builds offline from the Debian packages. The first build compiles all of them.
  const env = { ...process.env, GO111MODULE: 'off', GOPATH: GO_PACKAGES, GOFLAGS: '', GOTOOLCHAIN: 'local' }
  await run('go', ['build', '-o', program, source], { env })
}, 300_000)
afterAll(() => folder[Symbol.asyncDispose]())
beforeEach(async () => void (server = await startInterop()))
afterEach(() => server[Symbol.asyncDispose]())

/** Returns the lines that the client prints, one per step. */
async function client(...steps: string[]): Promise<string[]> {
  const { stdout } = await run(program, [server.origin, ...steps], { timeout: 150_000 })
  return stdout.trimEnd().split('\n')
}

const HELLO = `HTTP/3.0 200 5 ${digest(Buffer.from('hello'))}`
const NONE = digest(Buffer.alloc(0))

describe('quic-go', () => {
  it('receives small and large responses, and responses without a body', async () => {
    expect(await client('GET:/', 'HEAD:/', 'GET:/large', 'GET:/nothing', 'GET:/unchanged', 'GET:/missing')).toEqual([
      HELLO,
      `HTTP/3.0 200 0 ${NONE}`,
      `HTTP/3.0 200 ${LARGE.length} ${digest(LARGE)}`,
      `HTTP/3.0 204 0 ${NONE}`,
      `HTTP/3.0 304 0 ${NONE}`,
      expect.stringMatching(/^HTTP\/3.0 404 /),
    ])
    expect(new Set(server.protocols)).toEqual(new Set(['HTTP/3.0']))
  })

  it('uploads bodies and receives them again', async () => {
    const body = Buffer.alloc(3 * MIB, 'x')
    expect(await client(`POST:/echo:${body.length}`, `POST:/count:${body.length}`, 'POST:/count:0')).toEqual([
      `HTTP/3.0 200 ${body.length} ${digest(body)}`,
      `HTTP/3.0 200 7 ${digest(Buffer.from(String(body.length)))}`,
      `HTTP/3.0 200 1 ${digest(Buffer.from('0'))}`,
    ])
  })

  it('receives the response to a request whose body the server does not read', async () => {
    expect(await client('POST:/refused:3000000', 'GET:/')).toEqual([expect.stringMatching(/^HTTP\/3.0 403 2 /), HELLO])
  })

  it('sends 200 concurrent requests on one connection', async () => {
    expect(await client('GET:/*200', 'POST:/echo:20000*50')).toEqual([
      HELLO,
      `HTTP/3.0 200 20000 ${digest(Buffer.alloc(20_000, 'x'))}`,
    ])
  })

  it('detects a truncated response as a reset, and continues', async () => {
    expect(await client('GET:/broken', 'GET:/')).toEqual([
      expect.stringMatching(/^HTTP\/3.0 200 5 \w+ reset 0x102$/),
      HELLO,
    ])
  })

  it('aborts an endless response, which notifies the handler', async () => {
    expect(await client('GET:/ticks!200', 'GET:/')).toEqual([
      expect.stringMatching(/canceled with error code 268$/),
      HELLO,
    ])
    await expect.poll(() => server.ends).toEqual([expect.objectContaining({ status: 200, aborted: true })])
  })

  it('finishes its request while the server is closing', async () => {
    const response = client('POST:/echo:3000000')
    await expect.poll(() => server.protocols.length).toBe(1)
    await server.server.close({ drainMs: 10_000 })
    expect(await response).toEqual([expect.stringMatching(/^HTTP\/3.0 200 3000000 /)])
  })
})
