import { expect, it, vi } from 'vitest'
import { checkOptions } from './check-options.ts'
import { oneOf } from './kinds.ts'
import { declaredRouteOptions, declareRouteOption } from './route-options.ts'

const check = (given: object): void => checkOptions<object>('GET /', given, declaredRouteOptions())

it('accepts any value for an option declared without a kind', () => {
  declareRouteOption('anything')
  expect(() => check({ anything: Symbol('any') })).not.toThrow()
})

it('keeps the kind of an option', () => {
  declareRouteOption('role', oneOf('user', 'admin'))
  expect(() => check({ role: 'user' })).not.toThrow()
  expect(() => check({ role: 'root' })).toThrow('GET /: option "role" must be "user" or "admin", got "root".')
})

it('does not treat names from Object.prototype as declared', () => {
  expect(() => check({ constructor: 1 })).toThrow('GET /: unknown option "constructor".')
})

it('shares declarations with another copy of the package', async () => {
  declareRouteOption('shared')
  vi.resetModules()
  const copy = await import('./route-options.ts')
  expect(copy.declareRouteOption).not.toBe(declareRouteOption)
  expect(copy.declaredRouteOptions()).toBe(declaredRouteOptions())
})

it.each(['valueOf', 'constructor', '__proto__'])('rejects a declaration of %s, which every object inherits', (name) => {
  expect(() => declareRouteOption(name)).toThrow(`name must not be a member of Object.prototype, got "${name}"`)
})
