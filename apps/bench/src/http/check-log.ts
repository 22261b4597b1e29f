import { createReadStream } from 'node:fs'

/** Checks that the log is complete. @throws {Error} if it has fewer than `expected` lines */
export async function checkLog(path: string, expected: number): Promise<void> {
  let lines = 0
  for await (const slice of createReadStream(path)) lines += countLines(slice as Buffer)
  if (lines < expected) throw new Error(`The log has ${lines} lines, expected ${expected}`)
}

function countLines(slice: Buffer): number {
  let lines = 0
  for (let at = slice.indexOf(10); at !== -1; at = slice.indexOf(10, at + 1)) lines++
  return lines
}
