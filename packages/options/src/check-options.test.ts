import { describe, expect, it } from 'vitest'
import { checkOptions } from './check-options.ts'
import {
  either,
  flag,
  func,
  instanceOf,
  integer,
  listOf,
  number,
  object,
  objectWith,
  oneOf,
  type OptionKinds,
  options,
  secret,
  text,
  withFix,
} from './kinds.ts'

interface Limits {
  readonly maxBodyBytes?: number
}
interface Options {
  readonly http2?: boolean
  readonly port?: number
  readonly share?: number
  readonly mode?: 'strict' | 'loose'
  readonly onError?: () => void
  readonly key?: string
  readonly names?: readonly string[]
  readonly limits?: Limits
  readonly signal?: AbortSignal
  readonly logger?: object
  readonly workers?: number | 'auto'
  readonly extra?: object
}

const KINDS: OptionKinds<Options> = {
  http2: flag,
  port: integer(0, 65_535),
  share: number(0, 1),
  mode: oneOf('strict', 'loose'),
  onError: func,
  key: secret(text),
  names: listOf('a list of strings', text),
  limits: options<Limits>({ maxBodyBytes: integer(0) }),
  signal: instanceOf('AbortSignal', AbortSignal),
  logger: objectWith('a logger from @fw/log', 'with'),
  workers: either(integer(1), oneOf('auto')),
  extra: withFix(object, 'Pass {} for none.'),
}

const check = (given: unknown): void =>
  checkOptions('serve', given as Options, KINDS, {
    timeout: 'timeoutMs of listen',
    'limits.bodyBytes': 'limits.maxBodyBytes',
  })

describe('checkOptions', () => {
  it.each<[string, Options]>([
    ['no options', {}],
    ['options that are undefined', { port: undefined as never, limits: undefined as never }],
    ['both ends of a range', { port: 0, share: 1 }],
    ['the other end of each range', { port: 65_535, share: 0 }],
    ['one of several values', { mode: 'loose', workers: 'auto' }],
    ['one of several kinds', { workers: 3 }],
    ['an empty list', { names: [] }],
    ['nested options', { limits: { maxBodyBytes: 0 } }],
    [
      'instances and functions',
      { signal: new AbortController().signal, onError: () => {}, logger: { with: () => {} } },
    ],
  ])('accepts %s', (_, given) => {
    expect(() => check(given)).not.toThrow()
  })

  it.each<[unknown, string]>([
    [null, 'serve: options must be an object, got null.'],
    ['8080', 'serve: options must be an object, got "8080".'],
    [[], 'serve: options must be an object, got an array.'],
    [{ http2: 'yes' }, 'serve: option "http2" must be true or false, got "yes". Omit it to use the default.'],
    [
      { http2: 'false' },
      `serve: option "http2" must be true or false, got "false". Convert text first, for example process.env.NAME === 'true'.`,
    ],
    [
      { port: '80' },
      'serve: option "port" must be an integer from 0 to 65535, got "80". Convert text first, for example Number(process.env.NAME).',
    ],
    [{ mode: 'lax' }, 'serve: option "mode" must be "strict" or "loose", got "lax". Omit it to use the default.'],
    [{ onError: null }, 'serve: option "onError" must be a function, got null. Omit it to use the default.'],
    [{ names: 'a' }, 'serve: option "names" must be a list of strings, got "a". Omit it to use the default.'],
    [{ names: ['a', 2] }, 'serve: option "names[1]" must be a string, got 2. Omit it to use the default.'],
    [{ limits: [] }, 'serve: option "limits" must be an object, got an array. Omit it to use the default.'],
    [
      { limits: { maxBodyBytes: '1' } },
      'serve: option "limits.maxBodyBytes" must be an integer of at least 0, got "1". Convert text first, for example Number(process.env.NAME).',
    ],
    [{ signal: {} }, 'serve: option "signal" must be an AbortSignal, got an object. Omit it to use the default.'],
    [
      { logger: new Map() },
      'serve: option "logger" must be a logger from @fw/log, got a Map. Omit it to use the default.',
    ],
    [
      { workers: 'all' },
      'serve: option "workers" must be a positive integer or "auto", got "all". Omit it to use the default.',
    ],
    [{ extra: 1n }, 'serve: option "extra" must be an object, got 1n. Pass {} for none.'],
  ])('rejects %o with a TypeError that explains the fix', (given, message) => {
    expect(errorOf(given)).toBeInstanceOf(TypeError)
    expect(errorOf(given).message).toContain(message)
  })

  it.each<[Options, string]>([
    [{ port: 70_000 }, 'serve: option "port" must be an integer from 0 to 65535, got 70000.'],
    [{ port: -1 }, 'got -1.'],
    [{ port: 1.5 }, 'got 1.5.'],
    [{ port: NaN }, 'got NaN.'],
    [{ share: 1.01 }, 'serve: option "share" must be a number from 0 to 1, got 1.01.'],
    [{ share: NaN }, 'got NaN.'],
    [{ workers: 0 }, 'serve: option "workers" must be a positive integer or "auto", got 0.'],
    [{ limits: { maxBodyBytes: -1 } }, 'serve: option "limits.maxBodyBytes" must be an integer of at least 0, got -1.'],
  ])('rejects %j with a RangeError, because only the value is wrong', (given, message) => {
    expect(errorOf(given)).toBeInstanceOf(RangeError)
    expect(errorOf(given).message).toContain(message)
  })

  it.each<[object, string]>([
    [{ prot: 80 }, 'serve: unknown option "prot". Did you mean "port"? Known options: http2, port, '],
    [{ onerror: () => {} }, 'Did you mean "onError"?'],
    [{ zzzzzz: 1 }, 'serve: unknown option "zzzzzz". Known options: http2, '],
    [{ timeout: 1 }, 'serve: unknown option "timeout". Use timeoutMs of listen instead.'],
    [{ limits: { bodyBytes: 1 } }, 'serve: unknown option "limits.bodyBytes". Use limits.maxBodyBytes instead.'],
    [{ bodyBytes: 1 }, 'serve: unknown option "bodyBytes". Known options: http2, '],
    [{ constructor: 1 }, 'serve: unknown option "constructor". '],
    [{ limits: { maxBodyByte: 1 } }, 'serve: unknown option "limits.maxBodyByte". Did you mean "maxBodyBytes"?'],
  ])('rejects the unknown name in %j and suggests the nearest known one', (given, message) => {
    expect(errorOf(given)).toBeInstanceOf(TypeError)
    expect(errorOf(given).message).toContain(message)
  })

  it('throws an error with a code, and with properties that name the function and the option', () => {
    expect(errorOf({ limits: { bodyBytes: 1 } })).toMatchObject({
      code: 'FW_UNKNOWN_OPTION',
      api: 'serve',
      option: 'limits.bodyBytes',
    })
    expect(errorOf({ names: [2] })).toMatchObject({ code: 'FW_INVALID_OPTION', api: 'serve', option: 'names[0]' })
    expect(errorOf(null)).toMatchObject({ code: 'FW_INVALID_OPTION' })
  })

  it('hides a secret value', () => {
    expect(errorOf({ key: Buffer.from('hunter2') }).message).toBe(
      'serve: option "key" must be a string, got a Buffer. Omit it to use the default.',
    )
    expect(errorOf({ key: 12_345 }).message).not.toContain('12345')
  })

  it('does not compile if an option has no kind', () => {
    // @ts-expect-error http2 has no kind.
    const kinds: OptionKinds<{ http2?: boolean; port?: number }> = { port: integer(0) }
    expect(kinds).toBeDefined()
  })
})

function errorOf(given: unknown): Error {
  try {
    check(given)
  } catch (error) {
    if (error instanceof Error) return error
  }
  throw new Error('Nothing was thrown')
}
