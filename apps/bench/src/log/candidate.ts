/** A logger that writes `listening on 127.0.0.1:<n>` to a file, one record to a line. */
export interface Candidate {
  /** At a level that is let through. */
  info(n: number): void
  /** Below the threshold. */
  debug(n: number): void
  /** Resolves when everything is in the file. */
  end(): void | Promise<void>
}

export const HOST = '127.0.0.1'
