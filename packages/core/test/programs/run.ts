import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { ListenOptions, ServerOptions } from '../../src/index.ts'

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

/** A server in a process of its own. Leaving the scope kills it. */
export interface ServerProcess extends AsyncDisposable {
  readonly child: ChildProcess
  readonly started: Started
  /** How the process ended: its exit code, or the signal. */
  readonly ended: Promise<number | NodeJS.Signals | null>
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
  const serve = [process.execPath, fileOf('serve.ts'), JSON.stringify(server), JSON.stringify(listen)]
  const [command = '', ...args] =
    sockets === undefined ? serve : ['python3', fileOf('pass-sockets.py'), sockets, ...serve]
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(child, 'exit').then(([code, signal]) => (signal ?? code) as number | NodeJS.Signals | null)
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string]
  return {
    child,
    started: JSON.parse(line) as Started,
    ended,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await ended
    },
  }
}

function fileOf(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url))
}
