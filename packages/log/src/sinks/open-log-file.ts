import { constants, mkdirSync, openSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import util from 'node:util'
import { integer, type OptionKind, optionError, showValue, withCode } from '@fw/options'

/** Permission bits of a new log file. Users outside its group must not be able to read the addresses and paths in it. */
const DEFAULT_MODE = 0o640

/** Accepts permission bits that let the owner write. Without write permission, the file could not be reopened. */
export const modeKind: OptionKind = {
  ...integer(0, 0o777),
  expected: 'permission bits from 0o200 to 0o777 with 0o200 set',
  accepts: (value) => integer(0o200, 0o777).accepts(value) && (Number(value) & 0o200) !== 0,
  fix: () => 'Write an octal number, for example 0o640.',
}

/**
 * Opens a file to append lines, and creates missing parent directories. Every write appends to the file, even if other
 * processes are writing to it. Never waits, so a named pipe must already have a reader.
 *
 * @param api The sink's class, for error messages
 * @param append False empties the file first
 * @param mode Sets the permission bits of a new file, before the umask is applied. An existing file keeps its permissions
 * @throws {TypeError} if the path is not a non-empty string or a file URL
 * @throws {Error} that names the path and the reason if the file cannot be opened; its `cause` is the system's error
 */
export function openLogFile(api: string, path: string | URL, append: boolean, mode: number = DEFAULT_MODE): number {
  const file = path instanceof URL && path.protocol === 'file:' ? fileURLToPath(path) : path
  if (typeof file !== 'string' || file === '') {
    const expected = 'a non-empty string or a file URL'
    const got = showValue(path instanceof URL ? path.href : path)
    throw optionError({ api, name: 'path', expected, got, fix: 'Write, for example, "logs/app.log".' })
  }
  const { O_APPEND, O_CREAT, O_NONBLOCK, O_TRUNC, O_WRONLY } = constants
  try {
    makeDirectory(dirname(file))
    return openSync(file, O_WRONLY | O_CREAT | O_APPEND | O_NONBLOCK | (append ? 0 : O_TRUNC), mode)
  } catch (error) {
    throw withCode('FW_LOG_FILE', new Error(`Cannot open log file '${file}': ${reasonOf(error)}`, { cause: error }))
  }
}

/**
 * Creates a directory and its parents. Unlike the recursive `mkdirSync`, it does not hang in directories such as `/proc`, in
 * which the system does not create directories.
 */
function makeDirectory(path: string): void {
  if (isDirectory(path)) return
  if (dirname(path) !== path) makeDirectory(dirname(path))
  try {
    mkdirSync(path)
  } catch (error) {
    // Another process may have created it in the meantime.
    if (!isDirectory(path)) throw error
  }
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
}

function reasonOf(error: unknown): string {
  const { code, errno, message, path, syscall } = error as NodeJS.ErrnoException
  // An existing directory would not cause this error, so the path must be something else.
  if (syscall === 'mkdir' && code === 'EEXIST') return `'${path}' is not a directory (EEXIST)`
  if (code === 'ENXIO') return 'no process reads from this named pipe; start its reader first (ENXIO)'
  return errno === undefined ? message : `${util.getSystemErrorMessage(errno)} (${code ?? errno})`
}
