import { stat } from 'node:fs/promises'

/**
 * Reports changes to files when the files have remained unchanged for one interval, because a renewal writes several
 * files.
 *
 * Polls the files. File system notifications would follow the old target of a symbolic link, and certificate renewal
 * replaces links (certbot, Kubernetes). Does not keep the process alive.
 */
export class FileWatch {
  /** Called after a change. Must not throw. */
  onChange: () => void = () => {}
  #files: readonly (string | URL)[] = []
  #timer: NodeJS.Timeout | undefined = undefined
  #seen = ''
  #isUnsettled = false
  #isPolling = false

  /** Watches these files instead of any earlier ones. Resolves when their current state has been recorded. */
  async watch(files: readonly (string | URL)[], intervalMs: number): Promise<void> {
    this.close()
    this.#files = files
    if (files.length === 0) return
    this.#seen = await stateOf(files)
    this.#isUnsettled = false
    this.#timer = setInterval(() => void this.#poll(), intervalMs).unref()
  }

  close(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  async #poll(): Promise<void> {
    // On a slow file system, one poll can take longer than the interval.
    if (this.#isPolling) return
    this.#isPolling = true
    const state = await stateOf(this.#files)
    this.#isPolling = false
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
        // Another process might be replacing the file. If it stays missing, `loadCredentials` reports the error.
        return ''
      }
    }),
  )
  return states.join(' ')
}
