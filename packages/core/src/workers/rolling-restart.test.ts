import { setImmediate } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { RollingRestart } from './rolling-restart.ts'

/** Counts how often the workers were replaced. `end` completes the current round. */
function setup(): { restart: RollingRestart; begun: () => number; end: (failure?: string) => Promise<void> } {
  const rounds: ((failure: string | undefined) => void)[] = []
  const restart = new RollingRestart(() => new Promise((resolve) => rounds.push(resolve)))
  const end = async (failure?: string): Promise<void> => {
    rounds.at(-1)?.(failure)
    await setImmediate()
  }
  return { restart, begun: () => rounds.length, end }
}

it('replaces the workers on each request', async () => {
  const { restart, begun, end } = setup()
  void restart.ask()
  await end()
  expect(begun()).toBe(1)
  void restart.ask()
  await end()
  expect(begun()).toBe(2)
})

it('replaces the workers one more time after any number of requests during a restart', async () => {
  const { restart, begun, end } = setup()
  void restart.ask()
  for (let i = 0; i < 100; i++) void restart.ask()
  expect(begun()).toBe(1)
  await end()
  expect(begun()).toBe(2)
  await end()
  expect(begun()).toBe(2)
})

it('resolves each request to the failure of the restart that follows the request', async () => {
  const { restart, end } = setup()
  const asked = [restart.ask(), restart.ask(), restart.ask()]
  await end('first')
  const during = restart.ask()
  await end('second')
  await end()
  expect(await Promise.all([...asked, during])).toEqual(['first', 'second', 'second', undefined])
})
