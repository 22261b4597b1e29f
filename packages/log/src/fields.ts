import type { LogRecord } from '@fw/types'
import { UNSHOWABLE } from './display.ts'

/** Fields of a logger and of its child; of two with the same name the child's holds. Never throws. */
export function mergeFields(
  fields: LogRecord['fields'],
  more: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  try {
    return { ...fields, ...more }
  } catch {
    // Code of the application threw, such as a getter.
    return { ...fields, ...readableFields(more) }
  }
}

function readableFields(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const readable: Record<string, unknown> = {}
  for (const name of namesOf(fields)) {
    try {
      readable[name] = fields[name]
    } catch {
      readable[name] = UNSHOWABLE
    }
  }
  return readable
}

function namesOf(fields: object): string[] {
  try {
    return Object.keys(fields)
  } catch {
    // A proxy that does not tell.
    return []
  }
}
