import { once } from 'node:events'
import { readlinkSync, readFileSync } from 'node:fs'
import { lstat, rm } from 'node:fs/promises'
import { connect } from 'node:net'

/**
 * Removes a Unix socket file whose process has ended without removing it. Does not touch other files or sockets in use.
 *
 * @returns Whether the path is now free
 */
export async function removeStaleSocket(path: string): Promise<boolean> {
  // A Linux abstract socket has no file and ends with its process.
  if (path.startsWith('\0') || !(await isSocket(path)) || !(await isRefused(path))) return false
  await rm(path, { force: true })
  return true
}

async function isSocket(path: string): Promise<boolean> {
  try {
    return (await lstat(path)).isSocket()
  } catch {
    // The file has been removed in the meantime or is not accessible. Do not touch it.
    return false
  }
}

/** Reports whether no process accepts connections on the socket. */
async function isRefused(path: string): Promise<boolean> {
  const socket = connect(path)
  try {
    await once(socket, 'connect')
    return false
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ECONNREFUSED'
  } finally {
    socket.destroy()
  }
}

/**
 * Returns the path of the Unix socket behind a descriptor, or the descriptor's own path in `/proc` if the socket path
 * is unknown.
 */
export function pathOfSocket(fd: number): string {
  const name = `/proc/self/fd/${fd}`
  try {
    const [, inode] = /^socket:\[(\d+)\]$/.exec(readlinkSync(name)) ?? []
    for (const line of readFileSync('/proc/self/net/unix', 'utf8').split('\n')) {
      const [, , , , , , found, path] = line.split(/\s+/)
      if (found === inode && path !== undefined && path !== '') return path
    }
  } catch {
    // Only Linux has these files.
  }
  return name
}
