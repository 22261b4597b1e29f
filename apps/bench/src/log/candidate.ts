/** Logger that writes `listening on 127.0.0.1:<n>` to a file, one record per line. */
export interface Candidate {
  /** Logs a record at an enabled level. */
  info(n: number): void
  /** Logs a record below the threshold. */
  debug(n: number): void
  /** Resolves when all records are in the file. */
  end(): void | Promise<void>
}

export const HOST = '127.0.0.1'
