import { constants, mkdirSync, openSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import util from 'node:util'
import { integer, type OptionKind, optionError, showValue } from '@fw/options'

/** Permission bits of a new log file. Users outside its group must not read the addresses and paths in it. */
const DEFAULT_MODE = 0o640

/** Accepts permission bits that let the owner write. Without that bit the file could not be opened again. */
export const modeKind: OptionKind = {
  ...integer(0, 0o777),
  expected: 'permission bits from 0o200 to 0o777 with 0o200 set',
  accepts: (value) => integer(0o200, 0o777).accepts(value) && (Number(value) & 0o200) !== 0,
  fix: () => 'Write an octal number, for example 0o640.',
}

/**
 * Opens a file for lines to be appended, and makes the directories above it. Every write goes to the end of the file,
 * wherever other processes have moved it. Never waits: of a named pipe somebody must be reading.
 *
 * @param api The class of the sink, for messages
 * @param append False to empty the file first
 * @param mode Permission bits if the file is created, less those of the umask. An existing file keeps its own
 * @throws {TypeError} if the path is not a non-empty string or a file URL
 * @throws {Error} naming path and reason if the file cannot be opened; the system's error is its `cause`
 */
export function openLogFile(api: string, path: string | URL, append: boolean, mode: number = DEFAULT_MODE): number {
  const file = path instanceof URL && path.protocol === 'file:' ? fileURLToPath(path) : path
  if (typeof file !== 'string' || file === '') {
    const expected = 'a non-empty string or a file URL'
    const got = showValue(path instanceof URL ? path.href : path)
    throw optionError({ api, name: 'path', expected, got, fix: 'Write for example "logs/app.log".' })
  }
  const { O_APPEND, O_CREAT, O_NONBLOCK, O_TRUNC, O_WRONLY } = constants
  try {
    makeDirectory(dirname(file))
    return openSync(file, O_WRONLY | O_CREAT | O_APPEND | O_NONBLOCK | (append ? 0 : O_TRUNC), mode)
  } catch (error) {
    throw new Error(`Cannot open log file '${file}': ${reasonOf(error)}`, { cause: error })
  }
}

/** Unlike the recursive `mkdirSync` it ends where the system has a directory and yet makes none in it, as in `/proc`. */
function makeDirectory(path: string): void {
  if (isDirectory(path)) return
  if (dirname(path) !== path) makeDirectory(dirname(path))
  try {
    mkdirSync(path)
  } catch (error) {
    // Another process may have made it in between.
    if (!isDirectory(path)) throw error
  }
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
}

function reasonOf(error: unknown): string {
  const { code, errno, message, path, syscall } = error as NodeJS.ErrnoException
  // A directory that is there already is no error here, so something else has its name.
  if (syscall === 'mkdir' && code === 'EEXIST') return `'${path}' is not a directory (EEXIST)`
  if (code === 'ENXIO') return 'nobody reads from this named pipe, start its reader first (ENXIO)'
  return errno === undefined ? message : `${util.getSystemErrorMessage(errno)} (${code ?? errno})`
}
