import { fileURLToPath } from 'node:url'
import { getCallSites } from 'node:util'
import type { SourceLocation } from '@fw/types'

/** This function, the one that asks, and its caller. */
const FRAMES = 3

/** Where the function that asks was called from; `undefined` if no file called it. */
export function callerLocation(): SourceLocation | undefined {
  const frame = getCallSites(FRAMES)[FRAMES - 1]
  if (frame === undefined || frame.scriptName === '' || frame.scriptName.startsWith('node:')) return undefined
  const { scriptName, lineNumber: line, functionName } = frame
  return { file: scriptName.startsWith('file:') ? fileURLToPath(scriptName) : scriptName, line, functionName }
}
