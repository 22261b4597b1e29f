import { spawn, type StdioOptions } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { request as requestHttps } from 'node:https'
import { type AddressInfo, createServer } from 'node:net'
import { freePort, tempFolder, type TempFolder } from '@fw/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Registry, startRegistry } from './registry.ts'
import { PNPM, run, type RunOptions } from './run.ts'

let folder: TempFolder
let registry: Registry

beforeAll(async () => {
  folder = await tempFolder()
  registry = await startRegistry(folder.path)
  await writeFile(folder.join('npmrc'), `registry=${registry.url}\n`)
})
afterAll(async () => {
  await registry[Symbol.asyncDispose]()
  await folder[Symbol.asyncDispose]()
})

/** Runs a command with this machine's registry, and with empty caches. */
function withRegistry(command: readonly string[], cwd = folder.path): Promise<string> {
  const env = {
    npm_config_userconfig: folder.join('npmrc'),
    // A registry in the environment would take precedence over the file.
    npm_config_registry: registry.url,
    npm_config_cache: folder.join('npm-cache'),
  }
  return succeed(command, { cwd, env })
}

/** Runs a command and returns its standard output. Throws an error with all output if the command fails. */
async function succeed(command: readonly string[], options: RunOptions): Promise<string> {
  const { code, stdout, stderr } = await run(command, options)
  if (code !== 0) throw new Error(`${command.join(' ')} ended with ${code}:\n${stderr}\n${stdout}`)
  return stdout
}

/** Creates an application as `pnpm create` does, and installs its dependencies. */
function pnpmCreate(...args: string[]): Promise<string> {
  return withRegistry([...PNPM, '--userconfig', folder.join('npmrc'), 'create', '@fw@latest', ...args])
}

interface Running extends AsyncDisposable {
  readonly port: number
  /** Stops the application with SIGTERM. Returns its exit code. */
  stop(): Promise<number>
}

/** Starts an application, and waits until it is listening. */
async function start(cwd: string): Promise<Running> {
  const port = await freePort()
  const child = spawn(process.execPath, ['src/main.ts'], { cwd, env: { ...process.env, PORT: String(port) } })
  const exited = once(child, 'exit') as Promise<[number]>
  for await (const chunk of child.stdout) if (String(chunk).includes(`:${port}/`)) break
  return {
    port,
    async stop() {
      child.kill('SIGTERM')
      const [code] = await exited
      return code
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await exited
    },
  }
}

/** Checks that an application passes its type check and its tests. */
async function expectToPass(cwd: string): Promise<void> {
  for (const script of ['check', 'test']) await succeed(['npm', 'run', script], { cwd })
}

describe('an application that pnpm creates from packed packages', { timeout: 600_000 }, () => {
  it.each([
    ['minimal', '/hello/Ada', '{"hello":"Ada"}'],
    ['live', '/', '<title>Live counter</title>'],
    ['spa', '/hello/Ada', '<script type="module" src="/page.js">'],
  ])('passes its checks, serves a request and stops: template %s', async (template, path, expected) => {
    const created = await pnpmCreate(template, '--template', template, '--yes', '--no-git')
    expect(created).toContain(`Type next:\n\n  cd ${template}\n  pnpm run dev\n  pnpm run test\n`)
    await expectToPass(folder.join(template))

    await using application = await start(folder.join(template))
    const response = await fetch(`http://127.0.0.1:${application.port}${path}`)
    expect(await response.text()).toContain(expected)
    expect(await application.stop()).toBe(0)
  })
})

describe('an application with files for systemd', { timeout: 600_000 }, () => {
  it('listens on the socket that systemd passes', async () => {
    await pnpmCreate('sockets', '--systemd', '--yes', '--no-git')
    await expectToPass(folder.join('sockets'))
    const systemd = createServer()
    await once(systemd.listen(0, '127.0.0.1'), 'listening')
    const { port } = systemd.address() as AddressInfo
    const { fd } = (systemd as unknown as { _handle: { fd: number } })._handle

    const service = 'LISTEN_PID=$$ LISTEN_FDS=1 exec node src/main.ts'
    const options = { cwd: folder.join('sockets'), stdio: ['ignore', 'ignore', 'inherit', fd] as StdioOptions }
    const child = spawn('sh', ['-c', service], options)
    const exited = once(child, 'exit')
    systemd.close() // This process must not accept connections.
    try {
      const response = await fetch(`http://127.0.0.1:${port}/hello/Ada`)
      expect(await response.text()).toBe('{"hello":"Ada"}')
    } finally {
      child.kill('SIGTERM')
    }
    expect(await exited).toEqual([0, null])
  })
})

describe('an application that npm creates from packed packages', { timeout: 600_000 }, () => {
  it('serves HTTPS with its own certificate: template api', async () => {
    const args = ['my-app', '--template', 'api', '--https', '--docker', '--systemd', '--yes']
    const created = await withRegistry([
      'npm',
      'create',
      '--yes',
      '@fw@latest',
      ...args.slice(0, 1),
      '--',
      ...args.slice(1),
    ])
    expect(created).toContain('Type next:\n\n  cd my-app\n  npm run dev\n  npm run test\n')
    await expectToPass(folder.join('my-app'))

    await using application = await start(folder.join('my-app'))
    const ca = await readFile(folder.join('my-app/certificates/cert.pem'))
    const request = requestHttps({ host: 'localhost', port: application.port, path: '/todos', family: 4, ca })
    const [response] = await once(request.end(), 'response')
    expect(response).toMatchObject({ statusCode: 200 })
    response.resume()
    expect(await application.stop()).toBe(0)

    // Run the steps of the Dockerfile without Docker.
    await withRegistry(['npm', 'ci', '--omit=dev'], folder.join('my-app'))
    await using production = await start(folder.join('my-app'))
    expect(await production.stop()).toBe(0)
  })
})
