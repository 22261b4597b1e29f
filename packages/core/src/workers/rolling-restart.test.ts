import { setImmediate } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { RollingRestart } from './rolling-restart.ts'

/** Counts how often the workers were replaced. `end` completes the current round. */
function setup(): { restart: RollingRestart; begun: () => number; end: (canRepeat?: boolean) => Promise<void> } {
  const rounds: ((canRepeat: boolean) => void)[] = []
  const restart = new RollingRestart(() => new Promise((resolve) => rounds.push(resolve)))
  const end = async (canRepeat = true): Promise<void> => {
    rounds.at(-1)?.(canRepeat)
    await setImmediate()
  }
  return { restart, begun: () => rounds.length, end }
}

it('replaces the workers on each request', async () => {
  const { restart, begun, end } = setup()
  restart.ask()
  await end()
  expect(begun()).toBe(1)
  restart.ask()
  await end()
  expect(begun()).toBe(2)
})

it('replaces the workers once more after any number of requests during a restart', async () => {
  const { restart, begun, end } = setup()
  restart.ask()
  for (let i = 0; i < 100; i++) restart.ask()
  expect(begun()).toBe(1)
  await end()
  expect(begun()).toBe(2)
  await end()
  expect(begun()).toBe(2)
})

it('ignores requests during a restart that resolves to false', async () => {
  const { restart, begun, end } = setup()
  restart.ask()
  restart.ask()
  await end(false)
  expect(begun()).toBe(1)
})
