import { once } from 'node:events'
import { chmod, writeFile } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { tempFolder } from '@fw/testing'
import { describe, expect, it } from 'vitest'
import { DemoProcess, type Ended } from './demo-process.ts'

async function start(environment: Record<string, string>, args: readonly string[] = []): Promise<Ended> {
  await using folder = await tempFolder()
  const ports = { DEMO_HOST: '127.0.0.1', DEMO_PORT: '0', DEMO_TLS_PORT: '0' }
  const defaults = { ...ports, DEMO_DATA_DIR: folder.path, DEMO_TRAFFIC: 'off' }
  await using demo = new DemoProcess({ ...defaults, DEMO_LOG_LEVEL: 'off', ...environment }, args)
  return await demo.end()
}

describe('a demo that cannot start', () => {
  it.each([
    [
      'an unknown option',
      {},
      ['--port'],
      /^Unknown option --port\. Set environment variables instead: --help lists them\.\n$/,
    ],
    [
      'an unknown variable',
      { DEMO_PROT: '1' },
      [],
      /^Unknown variable DEMO_PROT\. --help lists the known variables\.\n$/,
    ],
    ['an invalid port', { DEMO_PORT: '99999' }, [], /^DEMO_PORT must be an integer from 0 to 65535, got "99999"\.\n$/],
    [
      'an invalid documentation address',
      { DEMO_DOCS_URL: 'docs' },
      [],
      /^DEMO_DOCS_URL must be an http or https URL, got "docs"\.\n$/,
    ],
    [
      'an invalid level',
      { DEMO_LOG_LEVEL: 'loud' },
      [],
      /^DEMO_LOG_LEVEL must be one of trace, debug, .*, got "loud"\.\n$/,
    ],
    [
      'a missing certificate',
      { DEMO_CERT_FILE: '/nowhere/cert.pem', DEMO_KEY_FILE: '/nowhere/key.pem' },
      [],
      /^Cannot read the TLS private key \/nowhere\/key\.pem: the file does not exist\. Check tls\.keyFile\n$/,
    ],
    [
      'a certificate without its key',
      { DEMO_CERT_FILE: '/c.pem' },
      [],
      /^DEMO_CERT_FILE and DEMO_KEY_FILE must be set together\. .*\n$/,
    ],
    ['a missing folder', { DEMO_FILES_DIR: '/nowhere/at/all' }, [], /^.*\/nowhere\/at\/all.*\n$/],
  ])('reports %s in one line and exits with 1', async (_name, environment, args, message) => {
    const { exitCode, stdout, stderr } = await start(environment, args)
    expect(stderr).toMatch(message)
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' })
  })

  it('reports a port in use', async () => {
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

  it('reports a certificate that is not PEM', async () => {
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

it('reports HTTP/3 without its optional package', async () => {
  // Causes the same error as a process in which the package is not installed.
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

// `pnpm start -- --help` passes `--` to the program, `pnpm start --help` does not.
it.each([[['--help']], [['--', '--help']]])('lists every option if it is started with %j', async (args) => {
  const { exitCode, stdout, stderr } = await start({}, args)
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
  for (const name of ['DEMO_PORT', 'DEMO_TLS_PORT', 'DEMO_HTTP3', 'DEMO_LOG_LEVEL']) expect(stdout).toContain(name)
})

it('serves from worker processes if DEMO_WORKERS is set, and stops them on exit', async () => {
  await using folder = await tempFolder()
  await using demo = new DemoProcess({
    DEMO_HOST: '127.0.0.1',
    DEMO_PORT: '0',
    DEMO_TLS_PORT: '0',
    DEMO_DATA_DIR: folder.path,
    DEMO_WORKERS: '2',
  })
  const { cleartext } = await demo.addresses()
  expect((await fetch(cleartext)).status).toBe(200)
  // The workers can print messages after the addresses.
  await expect.poll(() => demo.stdout.match(/Worker \d \(process \d+\) is ready/g)).toHaveLength(2)
  const { exitCode, stderr } = await demo.end('SIGTERM')
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
})
