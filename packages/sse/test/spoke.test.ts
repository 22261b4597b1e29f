import { fork } from 'node:child_process'
import { on, once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

it('warns a worker if its primary does not have the channel or has ended', async () => {
  const worker = fork(fileURLToPath(new URL('spoke-node.ts', import.meta.url)), { silent: true })
  try {
    const said = worker.stdout === null ? Promise.reject(new Error('It has no output')) : text(worker.stdout)
    // Use one listener for both messages, because they arrive together after a suspension.
    const messages = on(worker, 'message') as AsyncIterator<[unknown]>
    const next = async (): Promise<unknown> => (await messages.next()).value[0]
    expect(await next()).toEqual({ sse: 'join', channel: 'orders' })
    const { warning } = (await next()) as { warning: string }
    expect(warning).toContain("The primary process does not have the event channel 'orders': create it before listen()")
    const exit = once(worker, 'exit')
    worker.disconnect()
    expect(await exit).toEqual([0, null])
    expect(await said).toBe(
      'Cannot publish: the primary process has ended. Restart the program.\nThe backplane is closed\n',
    )
  } finally {
    worker.kill('SIGKILL')
  }
})

it("reports and ignores an event that a worker's channel refuses", async () => {
  const worker = fork(fileURLToPath(new URL('spoke-node.ts', import.meta.url)), { silent: true })
  try {
    const messages = on(worker, 'message') as AsyncIterator<[unknown]>
    const next = async (): Promise<unknown> => (await messages.next()).value[0]
    expect(await next()).toEqual({ sse: 'join', channel: 'orders' })
    const events = ['refused', 'taken'].map((event) => ({ event, data: '', id: '1', position: '1' }))
    worker.send({ sse: 'deliver', channel: 'orders', events })
    worker.send({ sse: 'joined', channel: 'orders' })
    const notified = JSON.stringify([await next(), await next()])
    expect(notified).toContain('{"delivered":"taken"}')
    expect(notified).toContain('An event from the primary process threw: TypeError: on purpose')
  } finally {
    worker.kill('SIGKILL')
  }
})
