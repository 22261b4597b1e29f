import { execFile } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { promisify } from 'node:util'
import * as log from '@fw/log'
import { tempFolder, testCertificate } from '@fw/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Server } from '../../src/index.ts'

const MIB = 1024 * 1024
const server = new Server({ limits: { maxBodyBytes: 16 * MIB } })
const origins = { h2c: '', h2: '' }

/** Runs a program and returns its output. @throws if it fails or takes longer than 150 s */
async function run(command: string, ...args: string[]): Promise<string> {
  return (await promisify(execFile)(command, args, { timeout: 150_000, maxBuffer: 64 * MIB })).stdout
}

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

beforeAll(async () => {
  log.setSinks([])
  const { key, cert } = await testCertificate()
  server
    .router()
    .get('/', () => 'hello')
    .get('/large', () => Buffer.alloc(3 * MIB, 'x'))
    .post('/', async (ctx) => sha256(await ctx.bytes()))
  const clear = await server.listen({ port: 0, host: '127.0.0.1' })
  const tls = await server.listen({ port: 0, host: '127.0.0.1', tls: { key, cert } })
  origins.h2c = clear.url.href
  origins.h2 = tls.url.href
})
afterAll(() => server.close({ drainMs: 0 }))

describe.each(['h2c', 'h2'] as const)('nghttp over %s', (protocol) => {
  it('receives a response', async () => {
    expect(await run('nghttp', '-y', origins[protocol])).toBe('hello')
  })

  it('receives a large response with non-default windows and padding', async () => {
    const response = await run('nghttp', '-y', '-w', '14', '-W', '20', '-b', '100', `${origins[protocol]}large`)
    expect(response).toBe('x'.repeat(3 * MIB))
  })

  it('posts one body with Content-Length, and one with trailers instead', async () => {
    const body = randomBytes(5 * MIB)
    await using folder = await tempFolder({ body })
    const file = folder.join('body')
    expect(await run('nghttp', '-y', '-d', file, origins[protocol])).toBe(sha256(body))
    const more = ['--no-content-length', '--trailer', 'x-sum: 1', '-H', 'expect: 100-continue', '--expect-continue']
    expect(await run('nghttp', '-y', ...more, '-d', file, origins[protocol])).toBe(sha256(body))
  })

  it('receives no RST_STREAM or GOAWAY', async () => {
    const frames = await run('nghttp', '-nvy', '-m', '5', origins[protocol])
    expect(frames.match(/:status: 200/g)).toHaveLength(5)
    expect(frames).not.toMatch(/recv (?:RST_STREAM|GOAWAY)/)
  })
})

describe.each(['h2c', 'h2'] as const)('h2load over %s', (protocol) => {
  it.each([
    ['1,000 requests, 100 concurrent on each of 2 connections', ['-n1000', '-c2', '-m100'], ''],
    ['50 large responses, 10 concurrent', ['-n50', '-c1', '-m10'], 'large'],
  ])('completes %s', async (_name, args, path) => {
    const [, requests] = args[0]?.split('-n') ?? []
    const report = await run('h2load', ...args, origins[protocol] + path)
    expect(report).toContain(`${requests} succeeded, 0 failed, 0 errored, 0 timeout`)
    expect(report).toContain(`status codes: ${requests} 2xx, 0 3xx, 0 4xx, 0 5xx`)
  })

  it('completes 20 uploads of 1 MiB, 10 concurrent', async () => {
    await using folder = await tempFolder({ body: randomBytes(MIB) })
    const report = await run('h2load', '-n20', '-c2', '-m10', '-d', folder.join('body'), origins[protocol])
    expect(report).toContain('20 succeeded, 0 failed, 0 errored, 0 timeout')
    expect(report).toContain('status codes: 20 2xx')
  })
})
