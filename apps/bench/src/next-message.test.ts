import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { expect, it, onTestFinished } from 'vitest'
import { nextMessage } from './next-message.ts'

/** A process that sends back what it is sent, and ends at `end`. */
function echo(): ChildProcess {
  const code = "process.on('message', (message) => message === 'end' ? process.exit(7) : process.send(message))"
  const child = fork('', { execArgv: ['--eval', code], stdio: 'ignore' })
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}

it('is what a process sends next', async () => {
  const child = echo()
  for (const message of ['a', 'b']) {
    const response = nextMessage(child)
    child.send(message)
    expect(await response).toBe(message)
  }
  expect([child.listenerCount('message'), child.listenerCount('exit')]).toEqual([0, 0])
})

it('fails if the process ends, or has ended', async () => {
  const child = echo()
  const response = nextMessage(child)
  child.send('end')
  await expect(response).rejects.toThrow('A process ended with 7')
  await expect(nextMessage(child)).rejects.toThrow('A process ended with 7')
})

it('fails if the process is killed', async () => {
  const child = echo()
  const response = nextMessage(child)
  await once(child, 'spawn')
  child.kill('SIGKILL')
  await expect(response).rejects.toThrow('A process ended with SIGKILL')
})
