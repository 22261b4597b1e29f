import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Files of the race. A typical shop page loads about as many. */
export const RACE_FILES = 50
/** Bytes of each file: small, so that the race shows requests and not bandwidth. */
const FILE_BYTES = 2048

/** Writes the files of the race to a folder. */
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
