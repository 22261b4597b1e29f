// Writes the errors that a program throws or prints with console.log to the file that THROWN_ERRORS names. Load this module
// with --import.
import cluster from 'node:cluster'
import { writeFileSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'

/** An error that the preloaded module reports. */
export interface ThrownError {
  readonly name: string
  readonly message: string
  readonly code: unknown
}

const { THROWN_ERRORS } = process.env
const thrown: ThrownError[] = []

if (THROWN_ERRORS !== undefined && isMainThread && cluster.isPrimary) {
  process.on('uncaughtExceptionMonitor', note)
  // eslint-disable-next-line no-console -- replaces console.log to record what a program prints
  console.log = (...values: unknown[]) => {
    for (const value of values) note(value)
  }
  process.on('exit', () => writeFileSync(THROWN_ERRORS, JSON.stringify(thrown)))
}

function note(value: unknown): void {
  if (!(value instanceof Error)) return
  const { name, message } = value
  thrown.push({ name, message, code: 'code' in value ? value.code : undefined })
}
