import { appendFileSync, chmodSync, rmSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import type { ResponseBody } from '@fw/types'
import { tempFolder, type TempFolder } from '@fw/testing'
import { describe, expect, it } from 'vitest'
import { LARGE_BYTES } from './buffer-pool.ts'
import { openSource } from './source.ts'
import { streamFile, type StreamOutcome } from './stream-file.ts'

/** A transport that keeps slices until a later turn without copying them. */
class SlowBody implements ResponseBody {
  isOpen = true
  bodyBytes = 0
  sent: Buffer[] = []
  error: Error | undefined
  isEnded = false
  #held: Uint8Array[] = []
  readonly #blocks: boolean
  mostHeld = 0

  /** @param blocks Whether `drained()` waits until every slice is sent, like a full transport */
  constructor(blocks: boolean) {
    this.#blocks = blocks
  }

  get bufferedBytes(): number {
    return this.#held.reduce((sum, chunk) => sum + chunk.byteLength, 0)
  }

  write(chunk: Uint8Array): boolean {
    this.#held.push(chunk)
    this.bodyBytes += chunk.byteLength
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
/** Content without repetition, so misplaced bytes are detected. */
const content = Buffer.from(Array.from({ length: SIZE / 4 }, (_, i) => i.toString(36).padStart(4, '0')).join(''))

async function send(
  folder: TempFolder,
  body: SlowBody,
  [start, end]: readonly [number, number] = [0, SIZE - 1],
): Promise<StreamOutcome> {
  const source = await openSource(folder.join('file'), `${folder.path}/`, 'inside')
  if (typeof source === 'string') throw new Error('The file exists')
  try {
    return await streamFile(() => body, source, start, end)
  } finally {
    await source.close()
  }
}

/** A transport that changes the file after the first slice. */
class ChangingBody extends SlowBody {
  readonly #change: () => void
  #isChanged = false

  constructor(change: () => void) {
    super(true)
    this.#change = change
  }

  override async drained(): Promise<void> {
    if (!this.#isChanged) this.#change()
    this.#isChanged = true
    await super.drained()
  }
}

describe('streamFile', () => {
  it.each([
    [0, SIZE - 1],
    [0, 0],
    [65_530, 131_081],
    [SIZE - 1, SIZE - 1],
  ])('sends bytes %i to %i', async (start, end) => {
    await using folder = await tempFolder({ file: content })
    const body = new SlowBody(true)
    expect(await send(folder, body, [start, end])).toBe('sent')
    await body.flush()
    expect(Buffer.concat(body.sent).equals(content.subarray(start, end + 1))).toBe(true)
    expect(body.isEnded).toBe(true)
  })

  it('runs at most one read at a time', async () => {
    await using folder = await tempFolder({ file: content })
    const body = new SlowBody(true)
    await send(folder, body)
    expect(body.mostHeld).toBe(LARGE_BYTES)
  })

  it('does not overwrite slices that the transport is still using', async () => {
    await using folder = await tempFolder({ file: content })
    const bodies = Array.from({ length: 4 }, () => new SlowBody(false))
    await Promise.all(bodies.map((body) => send(folder, body)))
    await Promise.all(bodies.map((body) => body.flush()))
    for (const body of bodies) expect(Buffer.concat(body.sent).equals(content)).toBe(true)
  })

  it.each<[string, (path: string) => void]>([
    ['has become shorter', (path) => truncateSync(path, 300_000)],
    ['has been overwritten with different content', (path) => writeFileSync(path, content.toReversed())],
    [
      'has been overwritten with longer, different content',
      (path) => writeFileSync(path, Buffer.concat([Buffer.from('x'), content])),
    ],
  ])('aborts when the file %s', async (_, change) => {
    await using folder = await tempFolder({ file: content })
    utimesSync(folder.join('file'), 1, 1)
    const body = new ChangingBody(() => change(folder.join('file')))
    expect(await send(folder, body)).toBe('cut')
    expect(body.error?.message).toBe('The file changed while it was being sent')
    expect(body.isEnded).toBe(false)
  })

  it.each<[string, (path: string) => void]>([
    ['has grown', (path) => appendFileSync(path, 'more')],
    ['has been unlinked', (path) => rmSync(path)],
    ['has different permissions', (path) => chmodSync(path, 0o600)],
  ])('sends the whole file when the file %s', async (_, change) => {
    await using folder = await tempFolder({ file: content })
    utimesSync(folder.join('file'), 1, 1)
    const body = new ChangingBody(() => change(folder.join('file')))
    expect(await send(folder, body)).toBe('sent')
    await body.flush()
    expect(Buffer.concat(body.sent).equals(content)).toBe(true)
  })

  it.each<[string, (path: string) => void]>([
    ['shorter', (path) => truncateSync(path, 0)],
    ['longer', (path) => appendFileSync(path, 'more')],
  ])('sends no bytes of a file that is %s than when it was opened', async (_, change) => {
    await using folder = await tempFolder({ file: content })
    utimesSync(folder.join('file'), 1, 1)
    const source = await openSource(folder.join('file'), `${folder.path}/`, 'inside')
    if (typeof source === 'string') throw new Error('The file exists')
    change(folder.join('file'))
    expect(await streamFile(() => expect.unreachable('a head was sent'), source, 0, SIZE - 1)).toHaveProperty('before')
    await source.close()
  })

  it('stops when the client has disconnected', async () => {
    await using folder = await tempFolder({ file: content })
    const body = new SlowBody(true)
    body.isOpen = false
    await send(folder, body)
    await body.flush()
    expect(Buffer.concat(body.sent).byteLength).toBeLessThanOrEqual(LARGE_BYTES)
  })

  it.each([
    ['throws before anything is sent', 0],
    ['aborts the response and throws later', 1],
  ])('%s when the file cannot be read', async (_, slices) => {
    await using folder = await tempFolder({ file: content })
    const source = await openSource(folder.join('file'), `${folder.path}/`, 'inside')
    if (typeof source === 'string') throw new Error('The file exists')
    // A closed descriptor simulates a failing disk.
    if (slices === 0) await source.close()
    let closing: Promise<void> | undefined
    const body = new ChangingBody(() => {
      closing = source.close()
    })
    await expect(streamFile(() => body, source, 0, SIZE - 1)).rejects.toThrow(/EBADF|"fd"/)
    expect([body.isOpen, body.isEnded]).toEqual([slices === 0, false])
    await closing
  })
})
