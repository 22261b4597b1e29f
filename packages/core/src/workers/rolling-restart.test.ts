import { setImmediate } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { RollingRestart } from './rolling-restart.ts'

/** How often the workers were replaced, and a way to bring each time to its end. */
function setup(): { restart: RollingRestart; begun: () => number; end: (goOn?: boolean) => Promise<void> } {
  const rounds: ((goOn: boolean) => void)[] = []
  const restart = new RollingRestart(() => new Promise((resolve) => rounds.push(resolve)))
  const end = async (goOn = true): Promise<void> => {
    rounds.at(-1)?.(goOn)
    await setImmediate()
  }
  return { restart, begun: () => rounds.length, end }
}

it('asking replaces the workers, each time', async () => {
  const { restart, begun, end } = setup()
  restart.ask()
  await end()
  expect(begun()).toBe(1)
  restart.ask()
  await end()
  expect(begun()).toBe(2)
})

it('asking meanwhile, however often, replaces them once more', async () => {
  const { restart, begun, end } = setup()
  restart.ask()
  for (let i = 0; i < 100; i++) restart.ask()
  expect(begun()).toBe(1)
  await end()
  expect(begun()).toBe(2)
  await end()
  expect(begun()).toBe(2)
})

it('where there is no use in it, it is not done again', async () => {
  const { restart, begun, end } = setup()
  restart.ask()
  restart.ask()
  await end(false)
  expect(begun()).toBe(1)
})
