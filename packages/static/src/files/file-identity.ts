/**
 * A file changed less than this ago may change again without its times telling, as some clocks of file systems tick
 * that slowly (git calls such entries racily clean).
 */
const RACY_MS = 20
/** The same where times are whole seconds, or even ones, as on FAT, ext3 and some file servers. */
const RACY_IN_SECONDS_MS = 2020

/**
 * What tells one state of one file from every other, as far as the file system can: times in nanoseconds since the
 * Unix epoch, size in bytes.
 */
export interface FileIdentity {
  readonly dev: bigint
  readonly ino: bigint
  readonly size: bigint
  readonly mtimeNs: bigint
  readonly ctimeNs: bigint
}

/** That part of what the file system says of a file: a fifth of the memory, for what is kept. */
export function identityOf({ dev, ino, size, mtimeNs, ctimeNs }: FileIdentity): FileIdentity {
  return { dev, ino, size, mtimeNs, ctimeNs }
}

/** Whether both are the same state of the same file. A clock set back counts as a change, so nothing is ordered. */
export function isSameState(a: FileIdentity, b: FileIdentity): boolean {
  if (a === b) return true
  return a.mtimeNs === b.mtimeNs && a.size === b.size && a.ino === b.ino && a.ctimeNs === b.ctimeNs && a.dev === b.dev
}

/** Whether the content is the same, be the file renamed, linked or unlinked in between. */
export function isSameContent(a: FileIdentity, b: FileIdentity): boolean {
  return a.mtimeNs === b.mtimeNs && a.size === b.size
}

/** Whether the last change is long enough ago for the times to tell it from the next one. */
export function isSettled({ ctimeNs }: FileIdentity): boolean {
  // Nobody can set this time, so that it is a full second by the file system or by one chance in a thousand million.
  const racyMs = ctimeNs % 1_000_000_000n === 0n ? RACY_IN_SECONDS_MS : RACY_MS
  return BigInt(Date.now() - racyMs) * 1_000_000n > ctimeNs
}
