/** An expected reason why a file cannot be opened. */
export type FileFailure =
  /** The path does not exist or is not a regular file. */
  | 'missing'
  /** A symbolic link leads out of the directory, or links are not allowed. */
  | 'outside'
  /** The process has no permission to read the file. */
  | 'forbidden'
  /** The process or system has no free file descriptor. */
  | 'exhausted'

const FAILURES: ReadonlyMap<string, FileFailure> = new Map([
  ['ENOENT', 'missing'],
  ['ENOTDIR', 'missing'],
  ['EISDIR', 'missing'],
  ['ELOOP', 'missing'],
  ['ENAMETOOLONG', 'missing'],
  ['ENXIO', 'missing'],
  ['ENODEV', 'missing'],
  // open(2): names that the file system does not allow, such as names with a colon or unsupported characters.
  ['EINVAL', 'missing'],
  ['EILSEQ', 'missing'],
  // A file server deleted or replaced the file.
  ['ESTALE', 'missing'],
  ['EACCES', 'forbidden'],
  ['EPERM', 'forbidden'],
  ['EMFILE', 'exhausted'],
  ['ENFILE', 'exhausted'],
])

/** Returns the failure that a `node:fs` error indicates; `undefined` for an unexpected error, such as EIO. */
export function fileFailure(error: unknown): FileFailure | undefined {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return undefined
  return FAILURES.get(error.code)
}
