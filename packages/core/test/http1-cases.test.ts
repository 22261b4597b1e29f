import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import * as log from '@fw/log'
import { sharedCaseFile, testCertificate } from '@fw/testing'
import type { Context } from '@fw/types'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Server } from '../src/index.ts'

const runner = sharedCaseFile('run-h1.mjs')

/** Timeouts for busy machines. A passing case does not wait for them. */
const LONG_TIMEOUTS = ['--timeout=30000', '--close-wait=30000']

/** Reads the whole body, then responds with the parsed request, as the cases require. */
async function report(ctx: Context): Promise<object> {
  const { length } = await ctx.bytes()
  const { method, target, headers } = ctx.exchange
  return { method, target, headers: Object.fromEntries(headers), bodyLength: length }
}

describe.runIf(runner)('the HTTP/1.x engine', () => {
  let server: Server
  const ports: { tcp?: number | undefined; tls?: number | undefined } = {}

  beforeAll(async () => {
    log.setSinks([])
    const { key, cert } = await testCertificate()
    server = new Server({ tls: { key, cert } })
    server.router().all('/*path', report).options('/*path', report)
    ports.tls = (await server.listen({ port: 0, host: '127.0.0.1' })).port
    ports.tcp = (await server.listen({ port: 0, host: '127.0.0.1', tls: false })).port
  })
  afterAll(() => server.close({ drainMs: 0 }))

  it.each([
    ['http1.json', 'none', 'tcp'],
    ['http1.json', 'bytes', 'tcp'],
    ['http1.json', 'crlf', 'tcp'],
    ['http1.json', 'random:1', 'tcp'],
    ['http1-llhttp.json', 'none', 'tcp'],
    ['http1.json', 'none', 'tls'],
    ['http1-llhttp.json', 'none', 'tls'],
  ] as const)('passes the cases of %s, split by %s, over %s', async (file, split, transport) => {
    const args = [
      runner ?? '',
      `127.0.0.1:${ports[transport]}`,
      sharedCaseFile(file) ?? '',
      ...LONG_TIMEOUTS,
      '--fails',
      `--split=${split}`,
      ...(transport === 'tls' ? ['--tls'] : []),
    ]
    const { stdout } = await promisify(execFile)(process.execPath, args)
    expect(stdout).toMatch(/ weak 0, fail 0, /)
  })
})
