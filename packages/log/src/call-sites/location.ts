import { findSourceMap, type SourceMapping } from 'node:module'
import { fileURLToPath } from 'node:url'
import type { SourceLocation } from '@fw/types'

type Frame = NodeJS.CallSite

/** What V8 asks when a stack is captured. The settings belong to the application and are put back at once. */
interface StackHooks {
  stackTraceLimit: number
  prepareStackTrace?: ((error: Error, frames: Frame[]) => unknown) | undefined
}

const hooks: StackHooks = Error

/** Locations by script and position in it. A call site never moves, and its file name is costly to make. */
const known = new Map<string, Map<number, SourceLocation>>()

/** Scripts remembered; more only come from code that is generated without end. */
const KNOWN_SCRIPTS = 10_000

/**
 * Where the function `callee` was called from.
 *
 * @param callee The function on the stack whose caller is meant
 * @returns `undefined` if no code of the application called it, but a promise, a timer or an event
 */
// docs/decisions/0012
export function callerLocation(callee: (...args: never[]) => unknown): SourceLocation | undefined {
  const frame = callerFrame(callee)
  const script = frame?.getFileName()
  if (frame === undefined || !script || script.startsWith('node:')) return undefined
  let positions = known.get(script)
  if (positions === undefined) {
    if (known.size >= KNOWN_SCRIPTS) known.clear()
    positions = new Map()
    known.set(script, positions)
  }
  const position = frame.getPosition()
  let location = positions.get(position)
  if (location === undefined) {
    location = locate(frame, script)
    positions.set(position, location)
  }
  return location
}

/** One frame costs about half of a parsed one-line stack; the price of a full one is several times that. */
function callerFrame(callee: (...args: never[]) => unknown): Frame | undefined {
  const { prepareStackTrace, stackTraceLimit } = hooks
  try {
    hooks.stackTraceLimit = 1
    hooks.prepareStackTrace = firstFrame
    const holder: { stack?: unknown } = {}
    Error.captureStackTrace(holder, callee)
    // The stack is made when it is read, by the function set above.
    return holder.stack as Frame | undefined
  } catch {
    // `Error` is frozen (--frozen-intrinsics): the record goes without a location.
    return undefined
  } finally {
    restore({ prepareStackTrace, stackTraceLimit })
  }
}

function firstFrame(_error: Error, frames: Frame[]): Frame | undefined {
  return frames[0]
}

function restore(previous: StackHooks): void {
  try {
    hooks.stackTraceLimit = previous.stackTraceLimit
    hooks.prepareStackTrace = previous.prepareStackTrace
  } catch {
    // Frozen: nothing was changed.
  }
}

function locate(frame: Frame, script: string): SourceLocation {
  const functionName = frame.getFunctionName() ?? ''
  const line = frame.getLineNumber() ?? 0
  const original = process.sourceMapsEnabled ? originalOf(frame, script, line) : undefined
  if (original?.originalSource === undefined) return { file: pathOf(script), line, functionName }
  return { file: pathOf(original.originalSource), line: (original.originalLine ?? 0) + 1, functionName }
}

/** Where a compiled file's source map says that the frame comes from. Its lines and columns count from 0. */
function originalOf(frame: Frame, script: string, line: number): Partial<SourceMapping> | undefined {
  return findSourceMap(script)?.findEntry(line - 1, (frame.getColumnNumber() ?? 1) - 1)
}

function pathOf(script: string): string {
  if (!script.startsWith('file:')) return script
  try {
    return fileURLToPath(script)
  } catch {
    // A file URL of another platform's form, from somebody else's source map: better shown as it is than not at all.
    return script
  }
}
