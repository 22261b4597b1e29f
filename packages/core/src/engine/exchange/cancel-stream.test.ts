import { settle } from '@fw/testing'
import { expect, it } from 'vitest'
import { cancelStream } from './cancel-stream.ts'

// An unhandled rejection would fail this test file.
it.each(['a stream', 'a reader'])('cancels %s of a form without an unhandled rejection', async (what) => {
  const form = new FormData()
  for (let i = 0; i < 10; i++) form.set(`name ${i}`, 'x'.repeat(10_000))
  const { body } = new Response(form)
  if (body === null) throw new Error('A form must have a body')
  const reader = what === 'a reader' ? body.getReader() : undefined
  void reader?.read()
  cancelStream(body, reader ?? body, new Error('not wanted'))
  await settle(20)
  expect(body.locked).toBe(reader !== undefined)
})

it('cancels the source once with the reason and ignores its error', async () => {
  const reasons: unknown[] = []
  const stream = new ReadableStream<Uint8Array>({
    cancel(reason) {
      reasons.push(reason)
      throw new Error('broken')
    },
  })
  const reason = new Error('not wanted')
  cancelStream(stream, stream, reason)
  cancelStream(stream, stream, reason)
  await settle(20)
  expect(reasons).toEqual([reason])
})
