import { createReadStream } from 'node:fs'

/** A log that leaves entries out is no log. @throws {Error} if it has fewer lines than there were requests */
export async function checkLog(path: string, wanted: number): Promise<void> {
  let lines = 0
  for await (const slice of createReadStream(path)) lines += countLines(slice as Buffer)
  if (lines < wanted) throw new Error(`It logged ${lines} lines where there should be ${wanted}`)
}

function countLines(slice: Buffer): number {
  let lines = 0
  for (let at = slice.indexOf(10); at !== -1; at = slice.indexOf(10, at + 1)) lines++
  return lines
}
