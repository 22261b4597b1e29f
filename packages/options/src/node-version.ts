import { withCode } from './error-code.ts'
/** The oldest supported version, as in `engines` of every package. */
const OLDEST_MAJOR = 24

checkNodeVersion(process.versions.node)

/**
 * Throws on a Node.js version that the packages do not support. Every package imports this package. An old version therefore
 * fails with this message instead of an error about a missing function.
 *
 * @throws {Error} if `version` is too old
 */
export function checkNodeVersion(version: string): void {
  if (Number.parseInt(version, 10) >= OLDEST_MAJOR) return
  const error = withCode(
    'FW_NODE_VERSION',
    new Error(
      `@fw requires Node.js ${OLDEST_MAJOR} or later, but this is Node.js ${version}. Install a newer version from https://nodejs.org.`,
    ),
  )
  // The stack would show only this module.
  error.stack = error.message
  throw error
}
