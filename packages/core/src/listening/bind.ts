import { once } from 'node:events'
import { createServer } from 'node:net'
import { describeFds, listenError } from './listen-error.ts'
import { StartupError } from '../options/startup-error.ts'
import { removeStaleSocket } from './unix-socket.ts'
import type { Binding } from './binding.ts'

/** What `net.Server` is told to listen on. */
export interface SocketAddress {
  readonly port?: number
  readonly host?: string
  readonly reusePort?: boolean
  readonly path?: string
  readonly fd?: number
  /** A socket that is bound already: that of another `net.Server` or `net.Socket`. */
  readonly _handle?: object
}

/** Listens as `net.Server` does. */
export interface Bindable {
  /** @throws the error of the operating system */
  listen(address: SocketAddress): Promise<void>
}

/**
 * Binds the socket that takes connections.
 *
 * @param handle That socket, if another process has bound it
 * @returns The passed descriptors that are none for connections
 * @throws {StartupError} saying what to do
 */
export async function bind(target: Bindable, binding: Binding, handle?: object): Promise<readonly number[]> {
  try {
    if (handle !== undefined) await target.listen({ _handle: handle })
    else if (binding.kind === 'fd') return await bindPassed(target, binding.streams)
    else if (binding.kind === 'path') await bindPath(target, binding.path)
    else {
      const { port, host, reusePort } = binding
      await target.listen({ port, reusePort, ...(host === undefined ? {} : { host }) })
    }
    return []
  } catch (error) {
    throw listenError(error, binding)
  }
}

async function bindPath(target: Bindable, path: string): Promise<void> {
  try {
    await target.listen({ path })
  } catch (error) {
    if (codeOf(error) !== 'EADDRINUSE' || !(await removeStaleSocket(path))) throw error
    await target.listen({ path })
  }
}

/** There is no asking what kind of socket a descriptor is, but one for datagrams cannot be listened on. */
async function bindPassed(target: Bindable, fds: readonly number[]): Promise<readonly number[]> {
  const others: number[] = []
  for (const [index, fd] of fds.entries()) {
    if (await listensOn(target, fd)) {
      const rest = fds.slice(index + 1)
      for (const other of rest) {
        if (await listensOn(new Probe(), other)) throw new StartupError(tooMany(fds))
      }
      return [...others, ...rest]
    }
    others.push(fd)
  }
  throw new StartupError(
    `Cannot listen on ${describeFds(fds)}: it is no socket that takes connections. Pass one that is bound to a port or a path`,
  )
}

/** Finds out about a descriptor that should not be one for connections. */
class Probe implements Bindable {
  async listen(address: SocketAddress): Promise<void> {
    const server = createServer()
    server.listen(address)
    await once(server, 'listening')
    server.close()
  }
}

async function listensOn(target: Bindable, fd: number): Promise<boolean> {
  try {
    await target.listen({ fd })
    return true
  } catch (error) {
    if (codeOf(error) === 'EINVAL') return false
    throw error
  }
}

function tooMany(fds: readonly number[]): string {
  return `Cannot listen on ${describeFds(fds)}: a listener takes one socket for connections. Choose it by its name, systemd: '…', or by fd`
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException | undefined)?.code
}
