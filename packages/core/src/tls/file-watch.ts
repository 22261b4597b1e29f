import { stat } from 'node:fs/promises'

/**
 * Tells that files have changed, once they have been left alone for a while: what writes several does not do so at once.
 *
 * It looks at the files now and then. Notices of the file system would stay with what a symbolic link pointed to, and
 * links are how certificates are renewed (certbot, Kubernetes). Does not keep the process alive.
 */
export class FileWatch {
  /** Never throws. */
  onChange: () => void = () => {}
  #files: readonly (string | URL)[] = []
  #timer: NodeJS.Timeout | undefined = undefined
  #seen = ''
  #isUnsettled = false
  #isLooking = false

  /** Watches these files from now on, and no others. Resolves when their present state has been noted. */
  async watch(files: readonly (string | URL)[], intervalMs: number): Promise<void> {
    this.close()
    this.#files = files
    if (files.length === 0) return
    this.#seen = await stateOf(files)
    this.#isUnsettled = false
    this.#timer = setInterval(() => void this.#look(), intervalMs).unref()
  }

  close(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  async #look(): Promise<void> {
    // On a slow file system a look may take longer than the interval.
    if (this.#isLooking) return
    this.#isLooking = true
    const state = await stateOf(this.#files)
    this.#isLooking = false
    if (this.#timer === undefined) return
    if (state !== this.#seen) {
      this.#seen = state
      this.#isUnsettled = true
    } else if (this.#isUnsettled) {
      this.#isUnsettled = false
      this.onChange()
    }
  }
}

async function stateOf(files: readonly (string | URL)[]): Promise<string> {
  const states = await Promise.all(
    files.map(async (file) => {
      try {
        const { dev, ino, size, mtimeNs, ctimeNs } = await stat(file, { bigint: true })
        return [dev, ino, size, mtimeNs, ctimeNs].join(':')
      } catch {
        // Being replaced, perhaps. What is missing for good is told when it is read.
        return ''
      }
    }),
  )
  return states.join(' ')
}
