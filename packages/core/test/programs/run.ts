import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { ListenOptions, ServerOptions } from '../../src/index.ts'
import { COMPILE_CACHE } from './compile-cache.ts'

const SERVE = fileURLToPath(new URL('serve.ts', import.meta.url))
const PASS_SOCKETS = fileURLToPath(new URL('pass-sockets.py', import.meta.url))

/** What `serve.ts` says first. */
export interface Started {
  readonly url?: string
  readonly port?: number
  readonly path?: string
  readonly protocols?: readonly string[]
  /** Messages of the log until then. */
  readonly records?: readonly string[]
  readonly error?: string
}

/** What `serve.ts` says last. */
export interface Ended {
  /** Requests that came to a handler, and those of them whose response did not get through. */
  readonly accepted: number
  readonly aborted: number
  /** Whether the time for closing was over before all was done. */
  readonly isCutOff: boolean
}

/** A server in a process of its own. Leaving the scope kills it. */
export interface ServerProcess extends AsyncDisposable {
  readonly child: ChildProcess
  readonly started: Started
  /** How the process ended: its exit code, or the signal. */
  readonly ended: Promise<number | NodeJS.Signals | null>
  /** Its last words; `undefined` if it could not say any. */
  readonly last: Promise<Ended | undefined>
}

/**
 * Starts `serve.ts` and waits for its address.
 *
 * @param sockets Sockets to pass, as `pass-sockets.py` takes them
 */
export async function startServer(
  server: ServerOptions,
  listen: ListenOptions,
  sockets?: string,
): Promise<ServerProcess> {
  const serve = [process.execPath, SERVE, JSON.stringify(server), JSON.stringify(listen)]
  const [command = '', ...args] = sockets === undefined ? serve : ['python3', PASS_SOCKETS, sockets, ...serve]
  const env = { ...process.env, NODE_COMPILE_CACHE: COMPILE_CACHE }
  const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(child, 'exit').then(([code, signal]) => (signal ?? code) as number | NodeJS.Signals | null)
  const lines = createInterface(child.stdout)
  const [line] = (await once(lines, 'line')) as [string]
  const last = Promise.race([
    once(lines, 'line').then(([text]) => JSON.parse(text as string) as Ended),
    once(lines, 'close').then(() => undefined),
  ])
  return {
    child,
    started: JSON.parse(line) as Started,
    ended,
    last,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await ended
    },
  }
}
