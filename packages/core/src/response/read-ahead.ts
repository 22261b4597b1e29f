import type { SourceReader } from './body-source.ts'

/** Maximum bytes to read before the head is sent. A larger body counts as whole only if it is a single piece. */
const MAX_BYTES = 64 * 1024
/** Bytes counted for a piece in addition to its content, so that many tiny pieces do not delay the head. */
const PIECE_OVERHEAD_BYTES = 128
/** Maximum event-loop turns for all reads. A `Blob` reports its end one turn after its bytes. */
const MAX_TURNS = 8

/** The first pieces of a body. */
export interface Beginning {
  readonly pieces: readonly Uint8Array[]
  /** Whether `pieces` is the whole body. */
  readonly isWhole: boolean
  /** A read that is still in progress. */
  readonly next: Promise<Uint8Array | undefined> | undefined
}

/**
 * Reads the pieces of a body that are available without waiting, so that a body in memory is sent with its length.
 *
 * In Node.js, a `Response` provides even text or bytes only as a stream. A read waits at most one event-loop turn, so
 * that a slow stream does not delay the head.
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
  /** Whether the read needed a turn of the event loop. */
  readonly isLate: boolean
}

const LATER = Symbol('later')

/** Resolves with the piece, or with `LATER` if none arrives within one turn of the event loop. */
function withinTurn(reading: Promise<Uint8Array | undefined>): Promise<Read | typeof LATER> {
  return new Promise((resolve, reject) => {
    let isLate = false
    const onTurn = (): void => {
      // The first callback can still run in the current turn. Only the second one proves that a turn has passed.
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
