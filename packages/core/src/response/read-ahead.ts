import type { SourceReader } from './body-source.ts'

/** Bytes read before the head is sent. A body that is larger is whole only if it is a single piece, as of a text. */
const MAX_BYTES = 64 * 1024
/** The cost of a piece besides its bytes, so that many tiny ones do not delay the head. */
const PIECE_OVERHEAD_BYTES = 128
/** Turns of the event loop that all reads may take. A `Blob` reports its end one turn after its bytes. */
const MAX_TURNS = 8

/** The beginning of a body. */
export interface Beginning {
  readonly pieces: readonly Uint8Array[]
  /** Whether this is all of the body. */
  readonly isWhole: boolean
  /** A read that is still in progress. */
  readonly next: Promise<Uint8Array | undefined> | undefined
}

/**
 * Reads a body as far as it has no need to wait. A body that is in memory is then known as a whole, with its length.
 *
 * The `Response` of Node.js hides its text or bytes: they can only be read as a stream. This waits one turn of the event loop
 * for a piece, no longer, so that a response whose pieces come slowly begins without delay.
 */
// docs/decisions/0106
export async function readAhead(reader: SourceReader): Promise<Beginning> {
  const pieces: Uint8Array[] = []
  let cost = 0
  for (let turns = 0; ;) {
    const next = reader.read()
    let piece: Uint8Array | undefined
    if (next instanceof Promise) {
      const read = turns < MAX_TURNS ? await withinTurn(next) : LATER
      if (read === LATER) return { pieces, isWhole: false, next }
      piece = read.piece
      if (read.isLate) turns++
    } else piece = next
    if (piece === undefined) return { pieces, isWhole: true, next: undefined }
    pieces.push(piece)
    cost += piece.byteLength + PIECE_OVERHEAD_BYTES
    if (pieces.length > 1 && cost > MAX_BYTES) return { pieces, isWhole: false, next: undefined }
  }
}

interface Read {
  readonly piece: Uint8Array | undefined
  /** Whether this took a turn of the event loop. */
  readonly isLate: boolean
}

const LATER = Symbol('later')

/** Resolves with the piece that is read, or with `LATER` if none has come within a turn of the event loop. */
function withinTurn(reading: Promise<Uint8Array | undefined>): Promise<Read | typeof LATER> {
  return new Promise((resolve, reject) => {
    let isLate = false
    const onTurn = (): void => {
      // The first callback runs in the current turn already if that has not reached its callbacks yet.
      if (isLate) return resolve(LATER)
      isLate = true
      timer = setImmediate(onTurn)
    }
    let timer = setImmediate(onTurn)
    reading.then(
      (piece) => {
        clearImmediate(timer)
        resolve({ piece, isLate })
      },
      (error: unknown) => {
        clearImmediate(timer)
        reject(error)
      },
    )
  })
}
