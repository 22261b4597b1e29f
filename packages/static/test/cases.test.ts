import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Server } from '@fw/core'
import { setSinks } from '@fw/log'
import { sharedCaseFile, tempFolder, TEST_PROTOCOLS, testCertificate, type TestProtocol } from '@fw/testing'
import { beforeAll, expect, it } from 'vitest'
import { openBridge } from './bridge.ts'
import { addResources } from './conditional-resources.ts'

const conditionalCases = sharedCaseFile('conditional.json')
const staticCases = sharedCaseFile('static.json')
const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url))
const run = promisify(execFile)

/** The runner's first port. It uses consecutive ports, below the system's ephemeral ports and those of `freePort`. */
const FIRST_PORT = 10_000 + (process.pid % 9000)
/** Unprivileged user, for files that the server must not be able to read. Only root can change the user. */
const NOBODY = 65534
const isRoot = process.getuid?.() === 0
/** Starts a server in a running process. The server runs until the runner kills this command. */
const ORDER = `bash -c 'exec 3<>/dev/tcp/127.0.0.1/$0; printf "%s\\n" "$@" >&3; exec cat <&3'`

/** Protocols that the static cases use. `h1+tls` and `h2c` share their engine with `h1` and `h2`. */
const STATIC_PROTOCOLS: readonly TestProtocol[] = ['h1', 'h2', 'h3']
/** The runner abandons a body after 3 s. On a busy machine, only a smaller file passes through the bridge in that time. */
const MAX_BRIDGED_BYTES = 1024 * 1024

interface StaticCase {
  readonly name: string
  readonly script?: readonly { readonly op: string }[]
  readonly serverFdLimit?: number
}

/** Reports whether a case measures the server process. Such a case needs its own process. */
function inspectsProcess({ script = [], serverFdLimit }: StaticCase): boolean {
  return serverFdLimit !== undefined || script.some(({ op }) => op === 'fdCount' || op === 'rss')
}

/** Reports whether a fixture or a step makes a large file: `{ "text": "A", "times": 33554432 }`. */
function hasLargeFile(one: StaticCase): boolean {
  const sizes = Array.from(JSON.stringify(one).matchAll(/"text":"([^"]*)","times":(\d+)/g), ([, text = '', times]) => {
    return text.length * Number(times)
  })
  return sizes.some((size) => size > MAX_BRIDGED_BYTES)
}

/** Runs a runner and returns its output. The runner exits with an error if a case fails. */
async function output(...args: string[]): Promise<string> {
  const options = { maxBuffer: 64 * 1024 * 1024 }
  return (await run(process.execPath, args, options).catch((error: unknown) => error as { stdout: string })).stdout
}

/** Runs the included static cases against the server that `command` starts. Returns the output. */
async function runStatic(isIncluded: (one: StaticCase) => boolean, command: string, port: number): Promise<string> {
  await using folder = await tempFolder()
  const cases = JSON.parse(readFileSync(staticCases ?? '', 'utf8')) as StaticCase[]
  const file = folder.join('cases.json')
  writeFileSync(file, JSON.stringify(cases.filter(isIncluded)))
  const name = `vitest-${process.pid}-${port}`
  const args = ['--name', name, '--cases', file, '--port', String(port), '--jobs', '4', '--verbose', '--cmd', command]
  if (!isRoot) args.push('--nobody', 'false')
  try {
    return await output(sharedCaseFile('run-static.mjs') ?? '', ...args)
  } finally {
    await rm(join(tmpdir(), `static-cases-${name}`), { recursive: true, force: true })
  }
}

beforeAll(() => setSinks([]))

it.runIf(conditionalCases).each(TEST_PROTOCOLS)('passes every conditional-request case over %s', async (protocol) => {
  const { key, cert } = await testCertificate()
  const isCleartext = protocol === 'h1' || protocol === 'h2c'
  await using server = new Server(isCleartext ? {} : { tls: { key, cert }, http3: protocol === 'h3' })
  addResources(server.router())
  const { port = 0 } = await server.listen({ port: 0, host: '127.0.0.1' })
  const bridge = protocol === 'h1' ? undefined : await openBridge(protocol, port)
  try {
    const address = `127.0.0.1:${bridge?.port ?? port}`
    const text = await output(sharedCaseFile('run-conditional.mjs') ?? '', address, '--fails')
    expect(text).toMatch(/ weak 0, fail 0;/)
  } finally {
    bridge?.close()
  }
})

it.runIf(staticCases).each(STATIC_PROTOCOLS)(
  'passes the static cases over %s',
  { timeout: 600_000 },
  async (protocol) => {
    const env = { ...process.env, TZ: 'America/New_York', HOME: tmpdir() }
    const user = isRoot ? { uid: NOBODY, gid: NOBODY } : {}
    const servers = spawn(process.execPath, [here('order-server.ts'), protocol], {
      env,
      ...user,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    try {
      const [orders] = (await once(servers.stdout, 'data')) as [Buffer]
      const command = `${ORDER} ${String(orders).trim()} {port} {root} {options}`
      const port = FIRST_PORT + 500 * TEST_PROTOCOLS.indexOf(protocol)
      const isIncluded = (one: StaticCase): boolean =>
        !inspectsProcess(one) && (protocol === 'h1' || !hasLargeFile(one))
      expect(await runStatic(isIncluded, command, port)).toMatch(/^[1-9]\d\d passed, 0 failed$/m)
    } finally {
      servers.kill('SIGKILL')
    }
  },
)

// Uses only one protocol, because otherwise the measurement would include the bridge to the other protocols. `aborts.test.ts`
// counts descriptors on each protocol.
it.runIf(staticCases)('passes the static cases that measure the server process', async () => {
  const command = `${process.execPath} ${here('server.ts')} {port} {root} {options}`
  expect(await runStatic(inspectsProcess, command, FIRST_PORT + 2500)).toMatch(/^[1-9]\d* passed, 0 failed$/m)
})
