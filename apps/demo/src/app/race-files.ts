import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Number of files in the race. A typical shop page loads about as many. */
export const RACE_FILES = 50
/** Size of each file in bytes. Small files make the race depend on requests instead of bandwidth. */
const FILE_BYTES = 2048

/** Writes the race files to a folder. */
export async function writeRaceFiles(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  await Promise.all(
    Array.from({ length: RACE_FILES }, (_, n) =>
      writeFile(join(folder, raceFile(n)), `file ${n} `.repeat(FILE_BYTES).slice(0, FILE_BYTES)),
    ),
  )
}

/** Returns the name of the nth file. */
export function raceFile(n: number): string {
  return `${n}.txt`
}
