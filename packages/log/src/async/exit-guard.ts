import { isMainThread } from 'node:worker_threads'
import { display } from '../text/display.ts'
import { printToStderr } from '../failure-report.ts'

/** Holds lines or records in memory until it is flushed. */
interface Flushable {
  flush(): void
  writeThrough(): void
}

/** Signals that end a process without its 'exit' event unless somebody listens to them. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

const guarded = new Set<Flushable>()

/** Flushes before the process ends, by `process.exit()`, an uncaught error or a signal; a SIGKILL cannot be known. */
export function guardExit(writer: Flushable): void {
  if (guarded.size === 0) {
    process.on('exit', beforeExit)
    // Before the application's listeners, as one made by `once` is gone from the list when it runs.
    if (isMainThread) for (const signal of SIGNALS) process.prependListener(signal, beforeSignal)
  }
  guarded.add(writer)
}

export function releaseExit(writer: Flushable): void {
  guarded.delete(writer)
  if (guarded.size > 0) return
  process.off('exit', beforeExit)
  for (const signal of SIGNALS) process.off(signal, beforeSignal)
}

function beforeExit(): void {
  for (const writer of guarded) {
    flush(writer)
    writer.writeThrough()
  }
}

function beforeSignal(signal: NodeJS.Signals): void {
  guarded.forEach(flush)
  // Where nobody else listens the signal is to end the process, as it would without this listener.
  if (process.listenerCount(signal) > 1) return
  process.off(signal, beforeSignal)
  process.kill(process.pid, signal)
}

function flush(writer: Flushable): void {
  try {
    writer.flush()
  } catch (error) {
    printToStderr(`log: lines were lost at exit: ${error instanceof Error ? error.message : display(error)}`)
  }
}
