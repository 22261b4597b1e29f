import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { describe, expect, it, onTestFinished } from 'vitest'
import { nextMessage } from './next-message.ts'

/** Starts a process that echoes messages and exits with code 7 on `end`. */
function echo(): ChildProcess {
  const code = "process.on('message', (message) => message === 'end' ? process.exit(7) : process.send(message))"
  const child = fork('', { execArgv: ['--eval', code], stdio: 'ignore' })
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}

describe('nextMessage', () => {
  it('resolves with the next message and removes its listeners', async () => {
    const child = echo()
    for (const message of ['a', 'b']) {
      const response = nextMessage(child)
      child.send(message)
      expect(await response).toBe(message)
    }
    expect([child.listenerCount('message'), child.listenerCount('exit')]).toEqual([0, 0])
  })

  it('rejects if the process exits or has exited', async () => {
    const child = echo()
    const response = nextMessage(child)
    child.send('end')
    await expect(response).rejects.toThrow('The process exited with 7')
    await expect(nextMessage(child)).rejects.toThrow('The process exited with 7')
  })

  it('rejects if the process is killed', async () => {
    const child = echo()
    const response = nextMessage(child)
    await once(child, 'spawn')
    child.kill('SIGKILL')
    await expect(response).rejects.toThrow('The process exited with SIGKILL')
  })
})
