import { StartupError } from './startup-error.ts'

/** Says what to do about a socket that could not be opened. */
export function listenError(error: unknown, where: string): StartupError {
  const code = (error as NodeJS.ErrnoException | undefined)?.code ?? ''
  const text = ADVICE[code]?.(where) ?? `Cannot listen on ${where}: ${error instanceof Error ? error.message : code}`
  return new StartupError(text, { cause: error })
}

const ADVICE: Readonly<Record<string, (where: string) => string>> = {
  EADDRINUSE: (where) =>
    where.startsWith('/') || where.startsWith('.')
      ? `Cannot listen on ${where}: it is in use. Stop the other process, or remove the file if none is left`
      : `Cannot listen on ${where}: it is in use. Stop the other process (ss -lptun shows it) or choose another port`,
  EACCES: (where) =>
    `Cannot listen on ${where}: permission denied. Choose a port from 1024 up, or grant CAP_NET_BIND_SERVICE`,
  EADDRNOTAVAIL: (where) => `Cannot listen on ${where}: this machine has no such address. Leave 'host' out to use all`,
  ENOTFOUND: (where) => `Cannot listen on ${where}: the host name is unknown. Give an IP address`,
  EAFNOSUPPORT: (where) => `Cannot listen on ${where}: this machine has no such address family. Try host '0.0.0.0'`,
}
