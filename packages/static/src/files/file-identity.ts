/**
 * Milliseconds after a change during which another change can produce the same timestamps, because file system clocks can be
 * this coarse. Git calls such entries racily clean.
 */
const RACY_MS = 20
/** Like `RACY_MS`, for file systems with timestamps in whole or even seconds, such as FAT, ext3 and some file servers. */
const RACY_IN_SECONDS_MS = 2020

/** Identifies one state of one file. Times are nanoseconds since the Unix epoch; `size` is in bytes. */
export interface FileIdentity {
  readonly dev: bigint
  readonly ino: bigint
  readonly size: bigint
  readonly mtimeNs: bigint
  readonly ctimeNs: bigint
}

/** Copies the identity from the result of a stat call. The copy uses a fifth of that result's memory. */
export function identityOf({ dev, ino, size, mtimeNs, ctimeNs }: FileIdentity): FileIdentity {
  return { dev, ino, size, mtimeNs, ctimeNs }
}

/**
 * Reports whether two identities represent the same state of the same file. A timestamp that moves backward counts as a change.
 */
export function isSameState(a: FileIdentity, b: FileIdentity): boolean {
  if (a === b) return true
  return a.mtimeNs === b.mtimeNs && a.size === b.size && a.ino === b.ino && a.ctimeNs === b.ctimeNs && a.dev === b.dev
}

/** Reports whether the content is the same, even if the file was renamed, linked or unlinked. */
export function isSameContent(a: FileIdentity, b: FileIdentity): boolean {
  return a.mtimeNs === b.mtimeNs && a.size === b.size
}

/** Reports whether the last change is so old that the next one produces different timestamps. */
export function isSettled({ ctimeNs }: FileIdentity): boolean {
  // Programs cannot set ctime. A whole second indicates a coarse clock: it occurs by coincidence once in 10^9 times.
  const racyMs = ctimeNs % 1_000_000_000n === 0n ? RACY_IN_SECONDS_MS : RACY_MS
  return BigInt(Date.now() - racyMs) * 1_000_000n > ctimeNs
}
