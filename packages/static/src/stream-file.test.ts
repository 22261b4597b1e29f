import { open } from 'node:fs/promises'
import { setImmediate } from 'node:timers/promises'
import type { ResponseBody } from '@fw/types'
import { tempFolder } from '@fw/testing'
import { describe, expect, it } from 'vitest'
import { LARGE_BYTES } from './buffer-pool.ts'
import { streamFile } from './stream-file.ts'

/** A transport that holds what it is given, without copying, until it has gone out later. */
class SlowBody implements ResponseBody {
  isOpen = true
  sent: Buffer[] = []
  error: Error | undefined
  isEnded = false
  #held: Uint8Array[] = []
  readonly #blocks: boolean
  mostHeld = 0

  /** @param blocks Whether `drained()` waits for what is held, as for a transport that is full */
  constructor(blocks: boolean) {
    this.#blocks = blocks
  }

  get bufferedBytes(): number {
    return this.#held.reduce((sum, chunk) => sum + chunk.byteLength, 0)
  }

  write(chunk: Uint8Array): boolean {
    this.#held.push(chunk)
    this.mostHeld = Math.max(this.mostHeld, this.bufferedBytes)
    return false
  }

  async drained(): Promise<void> {
    if (this.#blocks) await this.flush()
    else await setImmediate()
  }

  async flush(): Promise<void> {
    await setImmediate()
    for (const chunk of this.#held) this.sent.push(Buffer.from(chunk))
    this.#held = []
  }

  end(): void {
    this.isEnded = true
  }

  abort(error?: Error): void {
    this.error = error
    this.isOpen = false
  }
}

const SIZE = 1_000_000
/** No two places of it are alike, so that a wrong octet shows. */
const content = Buffer.from(Array.from({ length: SIZE / 4 }, (_, i) => i.toString(36).padStart(4, '0')).join(''))

describe('streamFile', () => {
  it.each([
    [0, SIZE - 1],
    [0, 0],
    [65_530, 131_081],
    [SIZE - 1, SIZE - 1],
  ])('sends octets %i to %i', async (start, end) => {
    await using folder = await tempFolder({ file: content })
    await using handle = await open(folder.join('file'))
    const body = new SlowBody(true)
    expect(await streamFile(body, handle.fd, start, end)).toBe(true)
    await body.flush()
    expect(Buffer.concat(body.sent).equals(content.subarray(start, end + 1))).toBe(true)
    expect(body.isEnded).toBe(true)
  })

  it('never has more than one read in flight', async () => {
    await using folder = await tempFolder({ file: content })
    await using handle = await open(folder.join('file'))
    const body = new SlowBody(true)
    await streamFile(body, handle.fd, 0, SIZE - 1)
    expect(body.mostHeld).toBe(LARGE_BYTES)
  })

  it('does not overwrite what the transport still holds', async () => {
    await using folder = await tempFolder({ file: content })
    await using handle = await open(folder.join('file'))
    const bodies = Array.from({ length: 4 }, () => new SlowBody(false))
    await Promise.all(bodies.map((body) => streamFile(body, handle.fd, 0, SIZE - 1)))
    await Promise.all(bodies.map((body) => body.flush()))
    for (const body of bodies) expect(Buffer.concat(body.sent).equals(content)).toBe(true)
  })

  it('aborts when the file has become shorter', async () => {
    await using folder = await tempFolder({ file: content })
    await using handle = await open(folder.join('file'))
    const body = new SlowBody(true)
    expect(await streamFile(body, handle.fd, 0, SIZE + 99)).toBe(false)
    expect(body.error?.message).toBe('The file ended 100 octets early')
    expect(body.isEnded).toBe(false)
  })

  it('stops when nobody is there any more', async () => {
    await using folder = await tempFolder({ file: content })
    await using handle = await open(folder.join('file'))
    const body = new SlowBody(true)
    const streaming = streamFile(body, handle.fd, 0, SIZE - 1)
    body.isOpen = false
    await streaming
    await body.flush()
    expect(Buffer.concat(body.sent).byteLength).toBeLessThanOrEqual(LARGE_BYTES)
  })

  it('aborts the answer and throws when the file cannot be read', async () => {
    await using folder = await tempFolder({ file: content })
    // A directory can be opened, but not read.
    await using handle = await open(folder.path)
    const body = new SlowBody(true)
    await expect(streamFile(body, handle.fd, 0, SIZE - 1)).rejects.toThrow('EISDIR')
    expect(body.isOpen).toBe(false)
  })
})
