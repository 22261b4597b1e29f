import { readdirSync, readlinkSync } from 'node:fs'

/** What this process has open in a folder. Elsewhere files come and go by what runs the tests. */
export function openFilesIn(folder: string): string[] {
  return readdirSync('/proc/self/fd')
    .map((descriptor) => pathOf(descriptor))
    .filter((path) => path.startsWith(`${folder}/`))
}

function pathOf(descriptor: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`)
  } catch {
    // It was that of the look itself, or has been closed since.
    return ''
  }
}
