import { once } from 'node:events'
import { chmod, writeFile } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { tempFolder } from '@fw/testing'
import { describe, expect, it } from 'vitest'
import { DemoProcess, type Ended } from './demo-process.ts'

async function start(environment: Record<string, string>, args: readonly string[] = []): Promise<Ended> {
  await using folder = await tempFolder()
  const defaults = { DEMO_HOST: '127.0.0.1', DEMO_PORT: '0', DEMO_TLS_PORT: '0', DEMO_DATA_DIR: folder.path }
  await using demo = new DemoProcess({ ...defaults, DEMO_LOG_LEVEL: 'off', ...environment }, args)
  return await demo.end()
}

describe('what cannot start says why in one line and ends with exit code 1', () => {
  it.each([
    ['an unknown option', {}, ['--port'], /^Unknown option --port; options are environment variables, see --help\n$/],
    ['an unknown variable', { DEMO_PROT: '1' }, [], /^Unknown variable DEMO_PROT; --help lists those there are\n$/],
    [
      'a port that is none',
      { DEMO_PORT: '99999' },
      [],
      /^DEMO_PORT is '99999'; it takes a whole number from 0 to 65535\n$/,
    ],
    ['a level that is none', { DEMO_LOG_LEVEL: 'loud' }, [], /^DEMO_LOG_LEVEL is 'loud'; it takes trace, debug, .*\n$/],
    [
      'a certificate that is not there',
      { DEMO_CERT_FILE: '/nowhere/cert.pem', DEMO_KEY_FILE: '/nowhere/key.pem' },
      [],
      /^Cannot read the TLS (?:certificate|private key) \/nowhere\/\S+: there is no such file\. Check tls\.(?:cert|key)File\n$/,
    ],
    [
      'a certificate without its key',
      { DEMO_CERT_FILE: '/c.pem' },
      [],
      /^DEMO_CERT_FILE and DEMO_KEY_FILE belong together.*\n$/,
    ],
    ['a folder that is not there', { DEMO_FILES_DIR: '/nowhere/at/all' }, [], /^.*\/nowhere\/at\/all.*\n$/],
  ])('%s', async (_name, environment, args, message) => {
    const { exitCode, stdout, stderr } = await start(environment, args)
    expect(stderr).toMatch(message)
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' })
  })

  it('a port in use', async () => {
    const taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    const { port } = taken.address() as AddressInfo
    const { exitCode, stderr } = await start({ DEMO_PORT: String(port) })
    taken.close()
    expect(stderr).toBe(
      `Cannot listen on 127.0.0.1:${port}: it is in use. Stop the other process (ss -lptun shows it) or choose another port\n`,
    )
    expect(exitCode).toBe(1)
  })

  it('a certificate that is no PEM', async () => {
    await using folder = await tempFolder()
    const file = join(folder.path, 'x.pem')
    await writeFile(file, 'not a certificate')
    await chmod(file, 0o600)
    const { exitCode, stderr } = await start({ DEMO_CERT_FILE: file, DEMO_KEY_FILE: file })
    expect(stderr).toMatch(
      /^Cannot use .*x\.pem and .*x\.pem: they are not a certificate and a private key in PEM .*\n$/,
    )
    expect(exitCode).toBe(1)
  })
})

it('HTTP/3 without its optional package', async () => {
  // What a process sees that has not installed it.
  const hide = `import { registerHooks } from 'node:module'
    registerHooks({ resolve(specifier, context, next) {
      if (!specifier.startsWith('@matrixai/quic')) return next(specifier, context)
      throw Object.assign(new Error('Cannot find package'), { code: 'ERR_MODULE_NOT_FOUND' })
    } })`
  const { exitCode, stderr } = await start({
    NODE_OPTIONS: `--import "data:text/javascript,${encodeURIComponent(hide)}"`,
  })
  expect(stderr).toBe('HTTP/3 needs the package @matrixai/quic. Run "npm install @matrixai/quic".\n')
  expect(exitCode).toBe(1)
})

it('--help lists every option', async () => {
  const { exitCode, stdout, stderr } = await start({}, ['--help'])
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
  for (const name of ['DEMO_PORT', 'DEMO_TLS_PORT', 'DEMO_HTTP3', 'DEMO_LOG_LEVEL']) expect(stdout).toContain(name)
})

it('serves from worker processes when told to, and ends with them', async () => {
  await using folder = await tempFolder()
  await using demo = new DemoProcess({
    DEMO_HOST: '127.0.0.1',
    DEMO_PORT: '0',
    DEMO_TLS_PORT: '0',
    DEMO_DATA_DIR: folder.path,
    DEMO_WORKERS: '2',
  })
  const { clearText } = await demo.addresses()
  expect((await fetch(clearText)).status).toBe(200)
  // Of what the log says of workers, some may follow the addresses.
  await expect.poll(() => demo.stdout.match(/Worker \d \(process \d+\) is ready/g)).toHaveLength(2)
  const { exitCode, stderr } = await demo.end('SIGTERM')
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
})
