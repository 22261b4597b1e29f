import type { ChildProcess } from 'node:child_process'

/**
 * Returns the next message from a process.
 *
 * @throws {Error} if the process exits first, or has exited
 */
export function nextMessage(child: ChildProcess): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>()
  const onExit = (): void => {
    reject(new Error(`The process exited with ${child.exitCode ?? child.signalCode} before it sent a message`))
  }
  child.once('message', resolve).once('exit', onExit)
  if (child.exitCode !== null || child.signalCode !== null) onExit()
  return promise.finally(() => child.off('message', resolve).off('exit', onExit))
}
