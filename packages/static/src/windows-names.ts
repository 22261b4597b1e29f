/** Devices, whatever extension follows. */
const DEVICE = /^(?:con|conin\$|conout\$|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?:[.: ]|$)/i

/**
 * Whether Windows takes a name of a file for another one, or for none: `a.txt::$DATA` and `a.txt.` are `a.txt`, `GIT~1` is what it
 * calls `.git` for old programs, and `nul.txt` is a device. A check of the name would say nothing about what is opened.
 *
 * @param segment Of a path, decoded
 */
export function isOtherOnWindows(segment: string): boolean {
  return /[:*?"<>|]|~\d|[. ]$/.test(segment) || DEVICE.test(segment)
}
