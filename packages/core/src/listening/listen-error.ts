import type { Binding } from './binding.ts'
import { StartupError } from '../options/startup-error.ts'

/** Says what to do about a socket that could not be opened. @param what Added to where it is: ' (UDP)' */
export function listenError(error: unknown, binding: Binding, what = ''): StartupError {
  if (error instanceof StartupError) return error
  const code = (error as NodeJS.ErrnoException | undefined)?.code ?? ''
  const advice = ADVICE[binding.kind][code] ?? (error instanceof Error ? error.message : code)
  return new StartupError(`Cannot listen on ${describe(binding)}${what}: ${advice}`, { cause: error })
}

function describe(binding: Binding): string {
  if (binding.kind === 'path') return binding.path
  if (binding.kind === 'fd') return describeFds(binding.streams)
  const { host, port } = binding
  return host === undefined ? `port ${port}` : `${host.includes(':') ? `[${host}]` : host}:${port}`
}

/** Names descriptors in messages. */
export function describeFds(fds: readonly number[]): string {
  return `${fds.length === 1 ? 'descriptor' : 'descriptors'} ${fds.join(', ')}`
}

const ADVICE: Readonly<Record<Binding['kind'], Readonly<Record<string, string>>>> = {
  port: {
    EADDRINUSE: 'it is in use. Stop the other process (ss -lptun shows it) or choose another port',
    EACCES: 'permission denied. Choose a port from 1024 up, or grant CAP_NET_BIND_SERVICE',
    EADDRNOTAVAIL: "this machine has no such address. Leave 'host' out to use all",
    ENOTFOUND: 'the host name is unknown. Give an IP address',
    EAFNOSUPPORT: "this machine has no such address family. Try host '0.0.0.0'",
    ENOTSUP: "this system cannot share a port. Leave 'reusePort' out",
  },
  path: {
    EADDRINUSE: 'it is in use. Stop the other process (ss -lpx shows it), or remove the file if none is left',
    // What the system says of a folder that is missing, too.
    EACCES: 'its folder is missing, or this user may not write there. Make the folder, or choose another path',
    EPERM: 'its folder takes no sockets. Choose another path',
    EROFS: 'its folder is on a file system that is read-only. Choose another path',
  },
  fd: {
    EEXIST: 'this process uses it already. Listen on each descriptor once',
    ERR_INVALID_FD_TYPE: 'udpFd is no UDP socket. Pass one that is bound to a port, or leave it out to have one opened',
  },
}
