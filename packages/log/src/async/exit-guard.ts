import { isMainThread } from 'node:worker_threads'
import { display } from '../text/display.ts'
import { printToStderr } from '../failure-report.ts'

/** A writer that buffers lines or records until it is flushed. */
interface Flushable {
  flush(): void
  writeThrough(): void
}

/** Signals that end a process without an 'exit' event, unless the process listens for them. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

const guarded = new Set<Flushable>()

/** Flushes a writer before the process ends through `process.exit()`, an uncaught error or a signal other than SIGKILL. */
export function guardExit(writer: Flushable): void {
  if (guarded.size === 0) {
    process.on('exit', beforeExit)
    // Runs before the application's listeners: `listenerCount` no longer counts a `once` listener that has run.
    if (isMainThread) for (const signal of SIGNALS) process.prependListener(signal, beforeSignal)
  }
  guarded.add(writer)
}

/** Stops flushing a writer when the process ends. */
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
  // Without another listener, the signal must end the process as it would without this package.
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
