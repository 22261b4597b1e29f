import { StartupError } from '../options/startup-error.ts'

/** Descriptors below are standard input, output and error. */
const FIRST_FD = 3

/** Example of the unit that is missing. */
const HOW = 'start the service by a .socket unit, or try it with: systemd-socket-activate -l 8080 node main.js'

/**
 * Descriptors of the sockets that systemd, or a program that does as it does, opened for this process.
 *
 * @param env With `LISTEN_FDS`, `LISTEN_PID` and, where sockets have names, `LISTEN_FDNAMES`
 * @param name Only those of this `FileDescriptorName`
 * @returns At least one
 * @throws {StartupError} if there is none
 * @see https://www.freedesktop.org/software/systemd/man/latest/sd_listen_fds.html
 */
export function systemdSockets(env: NodeJS.ProcessEnv, pid: number, name: string | undefined): readonly number[] {
  const { LISTEN_FDS, LISTEN_PID, LISTEN_FDNAMES = '' } = env
  if (LISTEN_FDS === undefined || LISTEN_PID === undefined) {
    throw new StartupError(
      `Cannot listen on a socket of systemd: none was passed (LISTEN_FDS is not set). To get one, ${HOW}`,
    )
  }
  // What a process inherits from one that was meant is not its own.
  if (Number(LISTEN_PID) !== pid) {
    throw new StartupError(
      `Cannot listen on a socket of systemd: they were passed to process ${LISTEN_PID}, and this is ${pid}. ` +
        `Start node without a shell or a package manager in between, or by 'exec'`,
    )
  }
  const count = Number(LISTEN_FDS)
  if (!Number.isInteger(count) || count < 1) {
    throw new StartupError(`Cannot listen on a socket of systemd: LISTEN_FDS is '${LISTEN_FDS}'. To get one, ${HOW}`)
  }
  const fds = Array.from({ length: count }, (_, index) => FIRST_FD + index)
  if (name === undefined) return fds
  const names = LISTEN_FDNAMES.split(':')
  const named = fds.filter((_, index) => names[index] === name)
  if (named.length > 0) return named
  const there = LISTEN_FDNAMES === '' ? 'they have no names' : `there are: ${names.join(', ')}`
  throw new StartupError(
    `Cannot listen on the socket '${name}' of systemd: ${there}. Set FileDescriptorName=${name} in the .socket unit`,
  )
}
