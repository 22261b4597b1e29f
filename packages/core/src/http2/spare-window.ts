/**
 * Octets by which the windows of all streams of a connection together may grow beyond what each has: what a client may
 * make us hold if the handlers that read as fast as it sent stop all at once.
 */
const SPARE_BYTES: number = 4 * 1024 * 1024

/** By how much the windows of the streams of a connection may still grow. */
export class SpareWindow {
  #bytes = SPARE_BYTES

  /** @returns How many of the octets asked for a window may grow by */
  borrow(bytes: number): number {
    const borrowed = Math.min(bytes, this.#bytes)
    this.#bytes -= borrowed
    return borrowed
  }

  giveBack(bytes: number): void {
    this.#bytes += bytes
  }
}
