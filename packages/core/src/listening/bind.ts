import { once } from 'node:events'
import { createServer } from 'node:net'
import { withCode } from '@fw/options'
import { describeFds, listenError } from './listen-error.ts'
import { StartupError } from '../options/startup-error.ts'
import { removeStaleSocket } from './unix-socket.ts'
import type { Binding } from './binding.ts'

/** Address to pass to `net.Server`. */
export interface SocketAddress {
  readonly port?: number
  readonly host?: string
  readonly reusePort?: boolean
  readonly path?: string
  readonly fd?: number
  /** Handle of a socket that another `net.Server` or `net.Socket` has already bound. */
  readonly _handle?: object
}

/** Listens on an address, like `net.Server`. */
export interface Bindable {
  /** @throws {Error} the operating system's error, such as EADDRINUSE */
  listen(address: SocketAddress): Promise<void>
}

/**
 * Binds the socket that accepts connections.
 *
 * @param handle Handle of that socket, if another process has bound it
 * @returns The passed descriptors that are not used for connections
 * @throws {StartupError} with the cause and the fix
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

/**
 * Listens on the first descriptor that accepts connections. Node.js cannot query a socket's type, but listening on a
 * datagram socket fails with EINVAL.
 */
async function bindPassed(target: Bindable, fds: readonly number[]): Promise<readonly number[]> {
  const others: number[] = []
  for (const [index, fd] of fds.entries()) {
    if (await listensOn(target, fd)) {
      const rest = fds.slice(index + 1)
      for (const other of rest) {
        if (await listensOn(new Probe(), other)) throw withCode('FW_INVALID_DESCRIPTOR', new StartupError(tooMany(fds)))
      }
      return [...others, ...rest]
    }
    others.push(fd)
  }
  throw withCode(
    'FW_INVALID_DESCRIPTOR',
    new StartupError(
      `Cannot listen on ${describeFds(fds)}: ${fds.length === 1 ? 'it does' : 'they do'} not accept connections. Pass a stream socket that is bound to a port or a path`,
    ),
  )
}

/** Checks whether a descriptor accepts connections, without serving them. */
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
  return `Cannot listen on ${describeFds(fds)}: a listener accepts connections on one socket only. Choose it by its name, systemd: '…', or by fd`
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException | undefined)?.code
}
