import type { EventEmitter } from 'node:events'
import { createReadStream } from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import * as undici from 'undici'
import type { Combination } from './combination.ts'

/** Counts how often a source was read to its end, and how often it was released. The sum must become 1. */
export interface SourceCount {
  readonly kind: string
  ended: number
  released: number
}

const PIECE = Buffer.from('x'.repeat(1000))

/** Creates the results of one handler, and counts the releases of each. */
export class Sources {
  readonly counts: SourceCount[] = []
  /** Creates the results that are not a plain stream. */
  readonly #makes: Readonly<Partial<Record<Combination['result'], () => unknown>>>

  /** @param file Path of a file to send */
  constructor(file: string) {
    this.#makes = {
      text: () => 'hello',
      nothing: () => undefined,
      'slow stream': () => this.stream(3, 1),
      'endless stream': () => this.stream(Infinity, 1),
      'failing stream': () => this.stream(2, 0, true),
      iterable: () => this.#iterable(3, false),
      'failing iterable': () => this.#iterable(2, true),
      'Node.js stream': () => this.#watch('Node.js stream', Readable.from([PIECE, PIECE])),
      file: () => this.#watch('file', createReadStream(file)),
      FileHandle: () => this.#fileHandle(file),
      'Response of a text': () => new Response('hello'),
      'Response of a form': () => new Response(form()),
      'Response of a stream': () => new Response(this.stream(3, 0)),
      'undici Response with text': () => new undici.Response('hello'),
      'undici Response with a stream': () => new undici.Response(this.stream(3, 0)),
      'own Response with text': () => new OwnResponse(undefined),
      'own Response with an iterable': () => new OwnResponse(this.#iterable(3, false)),
      'own Response with a failing iterable': () => new OwnResponse(this.#iterable(2, true)),
    }
  }

  /** The sources that were not read or released exactly once. */
  get faults(): SourceCount[] {
    return this.counts.filter(({ ended, released }) => ended + released !== 1)
  }

  make(result: Combination['result']): unknown {
    const make = this.#makes[result]
    return make === undefined ? this.stream(3, 0) : make()
  }

  /** Creates a stream of `pieces` pieces, each after a pause. */
  stream(pieces: number, pauseMs: number, fails = false): ReadableStream<Uint8Array> {
    const count = this.#count('stream')
    let left = pieces
    return new ReadableStream({
      async pull(controller) {
        if (pauseMs > 0) await sleep(pauseMs)
        if (count.released > 0) return
        if (left-- > 0) return controller.enqueue(new Uint8Array(PIECE))
        count.ended++
        if (fails) controller.error(new Error('The source is broken'))
        else controller.close()
      },
      cancel: () => void count.released++,
    })
  }

  #iterable(pieces: number, fails: boolean): AsyncIterable<Uint8Array> {
    const count = this.#count('iterable')
    let left = pieces
    let isEndKnown = false
    const iterator: AsyncIterator<Uint8Array> = {
      async next() {
        if (left-- > 0) return { done: false, value: PIECE }
        count.ended++
        setImmediate(() => (isEndKnown = true))
        if (fails) throw new Error('The source is broken')
        return { done: true, value: undefined }
      },
      async return() {
        // A reader that cancels during a read cannot detect whether this read reaches the end.
        if (count.ended === 0 || isEndKnown) count.released++
        return { done: true, value: undefined }
      },
    }
    return { [Symbol.asyncIterator]: () => iterator }
  }

  /** Counts the close of a Node.js stream as its release, whether it was read or not. */
  #watch<S extends Readable>(kind: string, stream: S): S {
    const count = this.#count(kind)
    return stream.on('close', () => count.released++)
  }

  /** Opens a file, which only the response can close. */
  async #fileHandle(file: string): Promise<FileHandle> {
    const count = this.#count('FileHandle')
    // The Node.js types lack its `close` event.
    const handle = (await open(file)) as FileHandle & EventEmitter
    return handle.on('close', () => count.released++)
  }

  #count(kind: string): SourceCount {
    const count = { kind, ended: 0, released: 0 }
    this.counts.push(count)
    return count
  }
}

/** A `Response` implementation of our own: its body is undefined for text, and otherwise an iterable. */
class OwnResponse {
  readonly status = 200
  readonly headers: [string, string][] = [['content-type', 'text/x-own']]
  readonly body: AsyncIterable<Uint8Array> | undefined

  constructor(body: AsyncIterable<Uint8Array> | undefined) {
    this.body = body
  }

  async arrayBuffer(): Promise<ArrayBuffer> {
    return new TextEncoder().encode('hello').buffer
  }
}

function form(): FormData {
  const data = new FormData()
  data.set('a', 'x'.repeat(5000))
  data.set('b', new File(['x'.repeat(5000)], 'b'))
  return data
}
