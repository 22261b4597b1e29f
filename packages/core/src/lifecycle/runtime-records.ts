import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { Level, type Logger } from '@fw/log'
import { watchEventLoop } from './event-loop-watch.ts'

/** Number of threads that libuv uses for files and DNS lookups, unless the environment sets another number. */
const DEFAULT_THREADS = 4

/**
 * Logs the server's environment: the process at Info, and the event loop, I/O and buffers at Debug. Until stopped,
 * it also logs event-loop delays and uncaught exceptions.
 *
 * @returns A function that stops the records
 */
export function startRuntimeRecords(logger: Logger): () => void {
  logger.info(
    'Starting on Node.js {} ({}, {}), process {}',
    process.versions.node,
    process.platform,
    process.arch,
    process.pid,
  )
  if (logger.isEnabled(Level.Debug)) {
    logger.debug('Event loop runs on CPUs {} of {}', allowedCpus() ?? 'all', availableParallelism())
    logger.debug('I/O driver: {}', describeIoDriver())
    logger.debug(
      'Buffer pool: small buffers share blocks of {} bytes, larger ones are allocated separately',
      Buffer.poolSize,
    )
  }
  const stopEventLoop = watchEventLoop(logger)
  const stopUncaught = watchUncaught(logger)
  return () => {
    stopEventLoop()
    stopUncaught()
  }
}

/** Describes how this process waits for sockets and reads files: with libuv, and with io_uring if it has open rings. */
function describeIoDriver(): string {
  const { UV_USE_IO_URING: wish, UV_THREADPOOL_SIZE: threads } = process.env
  const rings = countRings()
  const uring = rings === undefined ? '' : `, io_uring rings open: ${rings}`
  const asked = wish === undefined ? 'UV_USE_IO_URING not set' : `UV_USE_IO_URING=${wish}`
  return `libuv ${process.versions.uv}${uring} (${asked}), ${threads ?? DEFAULT_THREADS} threads for files`
}

function countRings(): number | undefined {
  try {
    return readdirSync('/proc/self/fd').filter(isRing).length
  } catch {
    // Only Linux has this directory, and io_uring.
    return undefined
  }
}

function isRing(fd: string): boolean {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`) === 'anon_inode:[io_uring]'
  } catch {
    // The descriptor with which the directory was read is closed by now.
    return false
  }
}

/** Returns the CPUs that the scheduler can use for this process, such as `0-3`. */
function allowedCpus(): string | undefined {
  try {
    return /^Cpus_allowed_list:\s*(\S+)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]
  } catch {
    return undefined
  }
}

/** Loggers of all servers in this process. Only the first one records an exception. */
const loggers = new Set<Logger>()

/**
 * Logs exceptions outside request handlers, such as in a timer, an event listener or an unhandled promise. The process
 * still ends, and the record has level Fatal. If the application listens for 'uncaughtException', the process continues
 * and the level is Error.
 *
 * @param logger A different object in each call
 * @returns A function that stops the records
 */
function watchUncaught(logger: Logger): () => void {
  if (loggers.size === 0) process.on('uncaughtExceptionMonitor', onUncaught)
  loggers.add(logger)
  return () => {
    loggers.delete(logger)
    if (loggers.size === 0) process.off('uncaughtExceptionMonitor', onUncaught)
  }
}

function onUncaught(error: unknown, origin: NodeJS.UncaughtExceptionOrigin): void {
  const isSurvived = process.listenerCount('uncaughtException') > 0
  for (const logger of loggers) {
    const record = isSurvived ? logger.error : logger.fatal
    record('Uncaught exception outside of a request ({}): {}', origin, error)
    return
  }
}
