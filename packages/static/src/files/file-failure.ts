/** Why a file cannot be had, as far as that is an expected outcome. */
export type FileFailure =
  /** There is no such file, or nothing that could be read like one. */
  | 'missing'
  /** It exists, but a link to it leads out of the directory, or is none to be followed. */
  | 'outside'
  /** It exists, but the process may not read it. */
  | 'forbidden'
  /** No descriptor is left in the process or the system. */
  | 'exhausted'

const FAILURES: ReadonlyMap<string, FileFailure> = new Map([
  ['ENOENT', 'missing'],
  ['ENOTDIR', 'missing'],
  ['EISDIR', 'missing'],
  ['ELOOP', 'missing'],
  ['ENAMETOOLONG', 'missing'],
  ['ENXIO', 'missing'],
  ['ENODEV', 'missing'],
  // Names that the file system cannot have, by open(2): colons on some, letters that it does not know on others.
  ['EINVAL', 'missing'],
  ['EILSEQ', 'missing'],
  // On a file server it was deleted, or another one is in its place.
  ['ESTALE', 'missing'],
  ['EACCES', 'forbidden'],
  ['EPERM', 'forbidden'],
  ['EMFILE', 'exhausted'],
  ['ENFILE', 'exhausted'],
])

/** Names the failure behind an error of `node:fs`; `undefined` for one that nobody expects, such as EIO. */
export function fileFailure(error: unknown): FileFailure | undefined {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return undefined
  return FAILURES.get(error.code)
}
