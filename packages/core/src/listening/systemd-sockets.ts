import { withCode } from '@fw/options'
import { StartupError } from '../options/startup-error.ts'

/** First passed descriptor. Lower ones are standard input, output and error. */
const FIRST_FD = 3

/** Advice on how to receive a socket from systemd. */
const HOW = 'start the service with a .socket unit, or test with: systemd-socket-activate -l 8080 node main.js'

/**
 * Returns the descriptors of the sockets that systemd, or a compatible program, passed to this process.
 *
 * @param env Environment with `LISTEN_FDS`, `LISTEN_PID` and, if sockets have names, `LISTEN_FDNAMES`
 * @param pid ID of this process
 * @param name Selects the sockets with this `FileDescriptorName`; `undefined` selects all
 * @returns At least one descriptor
 * @throws {StartupError} if no socket matches
 * @see https://www.freedesktop.org/software/systemd/man/latest/sd_listen_fds.html
 */
export function systemdSockets(env: NodeJS.ProcessEnv, pid: number, name: string | undefined): readonly number[] {
  const { LISTEN_FDS, LISTEN_PID, LISTEN_FDNAMES = '' } = env
  if (LISTEN_FDS === undefined || LISTEN_PID === undefined) {
    throw withCode(
      'FW_SYSTEMD_SOCKET',
      new StartupError(
        `Cannot listen on a systemd socket: none was passed (LISTEN_FDS is not set). To get one, ${HOW}`,
      ),
    )
  }
  // The variables can be inherited from another process, whose sockets do not belong to this process.
  if (Number(LISTEN_PID) !== pid) {
    throw withCode(
      'FW_SYSTEMD_SOCKET',
      new StartupError(
        `Cannot listen on a systemd socket: the sockets were passed to process ${LISTEN_PID}, but this is process ${pid}. ` +
          `Start node directly, without a shell or a package manager, or with 'exec'`,
      ),
    )
  }
  const count = Number(LISTEN_FDS)
  if (!Number.isInteger(count) || count < 1) {
    throw withCode(
      'FW_SYSTEMD_SOCKET',
      new StartupError(`Cannot listen on a systemd socket: LISTEN_FDS is '${LISTEN_FDS}'. To get one, ${HOW}`),
    )
  }
  const fds = Array.from({ length: count }, (_, index) => FIRST_FD + index)
  if (name === undefined) return fds
  const names = LISTEN_FDNAMES.split(':')
  const named = fds.filter((_, index) => names[index] === name)
  if (named.length > 0) return named
  const found =
    LISTEN_FDNAMES === ''
      ? 'the passed sockets have no names'
      : `systemd passed only ${names.slice(0, count).join(', ')}`
  throw withCode(
    'FW_SYSTEMD_SOCKET',
    new StartupError(
      `Cannot listen on the systemd socket '${name}': ${found}. Set FileDescriptorName=${name} in the .socket unit`,
    ),
  )
}
