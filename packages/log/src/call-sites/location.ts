import { findSourceMap, type SourceMapping } from 'node:module'
import { fileURLToPath } from 'node:url'
import type { SourceLocation } from '@fw/types'

type Frame = NodeJS.CallSite

/**
 * The properties of `Error` that V8 reads when it captures a stack. They belong to the application, so they are restored
 * afterwards.
 */
interface StackHooks {
  stackTraceLimit: number
  prepareStackTrace?: ((error: Error, frames: Frame[]) => unknown) | undefined
}

const hooks: StackHooks = Error

/**
 * Locations by script and position within it. A call site never moves, and V8 takes a long time to compute its file
 * name.
 */
const known = new Map<string, Map<number, SourceLocation>>()

/** The maximum number of scripts in `known`. Only programs that keep generating code exceed it. */
const KNOWN_SCRIPTS = 10_000

/**
 * Returns the location from which a function was called.
 *
 * @param callee A function on the stack
 * @returns `undefined` if the caller is a promise, a timer or an event instead of application code
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

/**
 * Captures a single frame, which costs about half as much as parsing a one-line stack. A full stack costs several times
 * more.
 */
function callerFrame(callee: (...args: never[]) => unknown): Frame | undefined {
  const { prepareStackTrace, stackTraceLimit } = hooks
  try {
    hooks.stackTraceLimit = 1
    hooks.prepareStackTrace = firstFrame
    const holder: { stack?: unknown } = {}
    Error.captureStackTrace(holder, callee)
    // Reading `stack` calls `firstFrame`.
    return holder.stack as Frame | undefined
  } catch {
    // `Error` is frozen (--frozen-intrinsics), so the location is unknown.
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
    // `Error` is frozen, so nothing was changed.
  }
}

function locate(frame: Frame, script: string): SourceLocation {
  const functionName = frame.getFunctionName() ?? ''
  const line = frame.getLineNumber() ?? 0
  const original = process.sourceMapsEnabled ? originalOf(frame, script, line) : undefined
  if (original?.originalSource === undefined) return { file: pathOf(script), line, functionName }
  return { file: pathOf(original.originalSource), line: (original.originalLine ?? 0) + 1, functionName }
}

/** Returns the position in the original source. Lines and columns of source maps count from 0. */
function originalOf(frame: Frame, script: string, line: number): Partial<SourceMapping> | undefined {
  return findSourceMap(script)?.findEntry(line - 1, (frame.getColumnNumber() ?? 1) - 1)
}

function pathOf(script: string): string {
  if (!script.startsWith('file:')) return script
  try {
    return fileURLToPath(script)
  } catch {
    // A source map from another platform can contain a file URL that is invalid on this platform. Show such a URL unchanged.
    return script
  }
}
