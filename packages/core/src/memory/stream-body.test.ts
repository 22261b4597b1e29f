import { describe, expect, it } from 'vitest'
import { AbortedError } from '../engine/errors.ts'
import { StreamBody } from './stream-body.ts'

const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/**
 * Creates a body from the given pieces. Records the pulls from its source and the events that its consumer receives.
 */
function bodyOf(...pieces: readonly string[]): { body: StreamBody; pulled: string[]; notified: string[] } {
  const pulled: string[] = []
  const left = [...pieces]
  const stream = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const piece = left.shift()
        pulled.push(piece ?? 'end')
        if (piece === 'broken') throw new Error('broken')
        if (piece === undefined) controller.close()
        else controller.enqueue(Buffer.from(piece))
      },
      cancel: () => void pulled.push('cancel'),
    },
    { highWaterMark: 0 },
  )
  return { body: new StreamBody(stream, undefined), pulled, notified: [] }
}

function consume(body: StreamBody, notified: string[], afterData: () => void = () => {}): void {
  body.consume({
    data(chunk) {
      notified.push(Buffer.from(chunk).toString())
      afterData()
    },
    end: () => void notified.push('end'),
    error: (error) => void notified.push(error.name),
  })
}

describe('StreamBody', () => {
  it('delivers every piece and the end', async () => {
    const { body, notified } = bodyOf('a', '', 'b')
    consume(body, notified)
    await tick()
    expect(notified).toEqual(['a', 'b', 'end'])
  })

  it('pulls nothing before it is consumed, nor while it is paused', async () => {
    const { body, pulled, notified } = bodyOf('a', 'b', 'c')
    await tick()
    expect(pulled).toEqual([])
    consume(body, notified, () => body.pause())
    for (const count of [1, 2, 3]) {
      await tick()
      expect([pulled.length, notified.length]).toEqual([count, count])
      body.resume()
    }
    await tick()
    expect(notified).toEqual(['a', 'b', 'c', 'end'])
  })

  it('holds back a chunk that arrives after pause', async () => {
    const { body, notified } = bodyOf('a')
    consume(body, notified)
    body.pause()
    await tick()
    expect(notified).toEqual([])
    body.resume()
    await tick()
    expect(notified).toEqual(['a', 'end'])
  })

  it('reports an error from its source as an AbortError', async () => {
    const { body, notified } = bodyOf('a', 'broken')
    consume(body, notified)
    await tick()
    expect(notified).toEqual(['a', 'AbortError'])
  })

  it('stops the source and the consumer once', async () => {
    const { body, pulled, notified } = bodyOf('a', 'b')
    consume(body, notified, () => body.pause())
    await tick()
    body.stop(new AbortedError('over'))
    body.stop(new AbortedError('over'))
    body.resume()
    await tick()
    expect([pulled, notified]).toEqual([
      ['a', 'cancel'],
      ['a', 'AbortError'],
    ])
  })

  it('can be stopped before it is consumed', async () => {
    const { body, pulled, notified } = bodyOf('a')
    body.stop(new AbortedError('over'))
    consume(body, notified)
    await tick()
    expect([pulled, notified]).toEqual([['cancel'], ['AbortError']])
  })

  it('rejects a second consumer', () => {
    const { body, notified } = bodyOf('a')
    consume(body, notified)
    expect(() => consume(body, notified)).toThrow('it was already read or is being read')
  })
})
