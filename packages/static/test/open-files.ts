import { readdirSync, readlinkSync } from 'node:fs'

/** Returns the files in a folder that this process has open. The test runner opens files elsewhere. */
export function openFilesIn(folder: string): string[] {
  return readdirSync('/proc/self/fd')
    .map((descriptor) => pathOf(descriptor))
    .filter((path) => path.startsWith(`${folder}/`))
}

function pathOf(descriptor: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`)
  } catch {
    // This was the descriptor for the directory listing, or it has since been closed.
    return ''
  }
}
