import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { tempFolder, type TempFolder } from '@fw/testing'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { LARGE, startInterop, type InteropServer } from './interop-server.ts'

const run = promisify(execFile)

let folder: TempFolder
let server: InteropServer
let upload: string

beforeAll(async () => {
  folder = await tempFolder()
  upload = folder.join('upload')
  await writeFile(upload, LARGE)
})
afterAll(() => folder[Symbol.asyncDispose]())
beforeEach(async () => void (server = await startInterop()))
afterEach(() => server[Symbol.asyncDispose]())

/**
 * Runs the ngtcp2 client until its streams are closed.
 *
 * @returns Its QUIC and HTTP log
 */
async function client(options: readonly string[], ...paths: string[]): Promise<string> {
  const urls = paths.map((path) => `${server.origin}${path}`)
  const fixed = ['--exit-on-all-streams-close', '--no-quic-dump', '--no-http-dump', `--download=${folder.path}`]
  const { stderr } = await run('gtlsclient', [...fixed, ...options, '127.0.0.1', String(server.port), ...urls], {
    timeout: 150_000,
    maxBuffer: 256 * 1024 * 1024,
  })
  return stderr
}

function saved(name: string): Promise<Buffer> {
  return readFile(folder.join(name))
}

describe("ngtcp2's gtlsclient", () => {
  it('receives a response', async () => {
    const output = await client([], '/')
    expect(output).toContain('[:status: 200]')
    expect((await saved('index.html')).toString()).toBe('hello')
    expect(server.protocols).toEqual(['HTTP/3.0'])
  })

  it.each<[string, readonly string[]]>([
    ['with its defaults', []],
    ['with small windows', ['--max-data=16K', '--max-stream-data-bidi-local=16K', '--max-window=0']],
    ['when packets are lost in both directions', ['--tx-loss=0.03', '--rx-loss=0.03']],
    ['with a key update during the transfer', ['--key-update=20ms']],
    ['with packets of 1,200 bytes', ['--max-udp-payload-size=1200']],
    ['with an empty connection ID', ['--scid=']],
    ['with ChaCha20', ['--ciphers=NORMAL:-VERS-ALL:+VERS-TLS1.3:-CIPHER-ALL:+CHACHA20-POLY1305']],
  ])('downloads 1 MiB intact %s', async (_how, options) => {
    await client(options, '/large')
    expect((await saved('large')).equals(LARGE)).toBe(true)
  })

  it.each<[string, readonly string[]]>([
    ['with its defaults', []],
    ['when its port changes during the transfer', ['--change-local-addr=15ms', '--nat-rebinding']],
    ['when packets are lost in both directions', ['--tx-loss=0.03', '--rx-loss=0.03']],
  ])('uploads 1 MiB and downloads it again %s', async (_how, options) => {
    await client(['-m', 'POST', '-d', upload, ...options], '/echo')
    expect((await saved('echo')).equals(LARGE)).toBe(true)
  })

  it('negotiates a common version', async () => {
    const output = await client(['--version=0x0a1a2a3a', '--preferred-versions=v1'], '/')
    expect(output).toContain('[:status: 200]')
  })

  it('sends 300 requests with a limit of 100 concurrent ones', async () => {
    const output = await client(['-n', '300'], '/nothing')
    expect(output.split('[:status: 204]')).toHaveLength(301)
  })
})
