import { withCode } from '@fw/options'
/** Methods that other packages install, and the import that installs each. */
const EXTENSIONS = {
  sse: '@fw/sse/register',
  staticFiles: '@fw/static/register',
} as const

/** Creates the error for a method that is not installed, with the missing import. */
export function missingExtension(receiver: 'ctx' | 'router', name: keyof typeof EXTENSIONS): Error {
  return withCode(
    'FW_MISSING_EXTENSION',
    new Error(`${receiver}.${name}() is not installed. Add: import '${EXTENSIONS[name]}'`),
  )
}
