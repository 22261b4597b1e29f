import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { ListenOptions, ServerOptions } from '../../src/index.ts'
import { COMPILE_CACHE } from './compile-cache.ts'

const SERVE = fileURLToPath(new URL('serve.ts', import.meta.url))
const PASS_SOCKETS = fileURLToPath(new URL('pass-sockets.py', import.meta.url))

/** First line that `serve.ts` prints. */
export interface Started {
  readonly url?: string
  readonly port?: number
  readonly path?: string
  readonly protocols?: readonly string[]
  /** Log messages up to that point. */
  readonly records?: readonly string[]
  readonly error?: string
}

/** Last line that `serve.ts` prints. */
export interface Ended {
  /** Number of requests that reached a handler. `aborted` counts those without a complete response. */
  readonly accepted: number
  readonly aborted: number
  /** Whether requests were still running at the drain deadline. */
  readonly isCutOff: boolean
}

/** A server in a separate process. Leaving the scope kills it. */
export interface ServerProcess extends AsyncDisposable {
  readonly child: ChildProcess
  readonly started: Started
  /** Exit code of the process, or the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals | null>
  /** Its last line; `undefined` if it was killed. */
  readonly last: Promise<Ended | undefined>
}

/**
 * Starts `serve.ts` and waits for its address.
 *
 * @param sockets Sockets to pass, in the format of `pass-sockets.py`
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
