import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { Level, type Logger } from '@fw/log'
import { watchEventLoop } from './event-loop-watch.ts'

/** Threads of libuv for files and look-ups, where the environment does not say. */
const DEFAULT_THREADS = 4

/**
 * Tells what the server runs on, and goes on telling how that fares: the process at Info, the event loop, I/O and buffers
 * at Debug, uncaught exceptions as they come.
 *
 * @returns Ends that
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
    logger.debug('Event loop serves on CPUs {} of {}', allowedCpus() ?? 'all', availableParallelism())
    logger.debug('I/O driver: {}', describeIoDriver())
    logger.debug(
      'Buffer pool: slices of {} bytes for small buffers, larger ones are allocated one by one',
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

/** What waits for sockets and reads files here: libuv with epoll, and io_uring where it has rings open. */
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
    // Only Linux has the folder, and io_uring.
    return undefined
  }
}

function isRing(fd: string): boolean {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`) === 'anon_inode:[io_uring]'
  } catch {
    // The descriptor that the folder was read by.
    return false
  }
}

/** CPUs that the scheduler may use for this process, as `taskset` shows them. */
function allowedCpus(): string | undefined {
  try {
    return /^Cpus_allowed_list:\s*(\S+)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]
  } catch {
    return undefined
  }
}

/** Of the servers of this process; the first one tells. */
const loggers = new Set<Logger>()

/**
 * Tells of exceptions that no handler of a request has to do with: thrown in a timer, a listener or a promise that nobody
 * waits for. What becomes of the process stays as it is: it ends, unless the application has a listener of its own for
 * 'uncaughtException', and then the record is of level Error and not Fatal.
 *
 * @param logger One of its own for each call
 * @returns Ends that
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
    record('Uncaught exception of a root task ({}): {}', origin, error)
    return
  }
}
