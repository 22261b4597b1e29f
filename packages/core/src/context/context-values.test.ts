import { describe, expect, it } from 'vitest'
import { contextKey, ContextValues, missingValue } from './context-values.ts'

class Session {
  static readonly contextHint = 'add router.use(session())'
  readonly id = 1
}

describe('ContextValues', () => {
  it('returns values by key and by class', () => {
    const values = new ContextValues()
    const name = contextKey<string>('name')
    const session = new Session()
    values.set(name, 'Ada')
    values.set(Session, session)
    expect([values.get(name), values.get(Session)]).toEqual(['Ada', session])
    expect(values.get(contextKey('name'))).toBeUndefined()
  })

  it('creates a provided value once, on first access', () => {
    const values = new ContextValues()
    let made = 0
    values.provide(Session, () => {
      made++
      return new Session()
    })
    expect(made).toBe(0)
    expect(values.has(Session)).toBe(true)
    expect(values.get(Session)).toBe(values.get(Session))
    expect(made).toBe(1)
  })

  it('calls the function again after it threw', () => {
    const values = new ContextValues()
    const key = contextKey<number>('n')
    let calls = 0
    values.provide(key, () => {
      if (calls++ === 0) throw new Error('not yet')
      return 7
    })
    expect(() => values.get(key)).toThrow('not yet')
    expect(values.get(key)).toBe(7)
  })

  it('rejects a function that reads its own value', () => {
    const values = new ContextValues()
    const key = contextKey<number>('loop')
    values.provide(key, () => Number(values.get(key)) + 1)
    expect(() => values.get(key)).toThrow('ctx.provide: the function for loop must not read the same value.')
  })

  it.each(['user', 7, null, undefined])('rejects %j as a key', (name) => {
    const message = 'Context: key must be a class or a context key, got '
    expect(() => new ContextValues().set(name as never, 1)).toThrow(message)
    expect(() => new ContextValues().provide(name as never, () => 1)).toThrow(message)
    expect(missingValue.bind(undefined, name as never)).toThrow(message)
  })

  it('names the missing value and how to provide it', () => {
    expect(missingValue(Session).message).toBe('Nothing provides Session here: add router.use(session())')
    expect(missingValue(contextKey('User', 'add auth()')).message).toBe('Nothing provides User here: add auth()')
    expect(missingValue(contextKey('User')).message).toBe('Nothing provides User here')
  })
})
