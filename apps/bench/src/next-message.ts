import type { ChildProcess } from 'node:child_process'

/**
 * The next message of a process.
 *
 * @throws {Error} if it ends before, or has ended
 */
export function nextMessage(child: ChildProcess): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>()
  const onExit = (): void => {
    reject(new Error(`A process ended with ${child.exitCode ?? child.signalCode} where an answer of it was waited for`))
  }
  child.once('message', resolve).once('exit', onExit)
  if (child.exitCode !== null || child.signalCode !== null) onExit()
  return promise.finally(() => child.off('message', resolve).off('exit', onExit))
}
