import type { StandardSchema } from '@fw/types'

/** Reports whether a value is a Standard Schema. Some schemas are functions. */
export function isStandardSchema(value: unknown): value is StandardSchema {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null || !('~standard' in value)) {
    return false
  }
  const standard = value['~standard']
  return (
    typeof standard === 'object' &&
    standard !== null &&
    'validate' in standard &&
    typeof standard.validate === 'function'
  )
}
