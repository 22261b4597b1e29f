import { describe, expect, it } from 'vitest'
import { optionsOf, splitDefault } from './options-of.ts'

const SOURCE = `
/** Where to listen. */
export interface Listen<T> extends Base {
  /** TCP port. Default 0. */
  readonly port?: number
  /**
   * Accepts \`*\\/*\` and more,
   * in two lines.
   *
   * A second paragraph.
   *
   * @throws {TypeError} if wrong
   */
  readonly types?: readonly string[] | undefined
  /** Limits of \`@fw/core\`. */
  readonly limits?: {
    /** Largest body. */
    readonly maxBodyBytes?: number
  }
  /** Number of processes. */
  readonly count: number | 'auto'
  /** Returns a name. */
  readonly name?: (port: number) => string | undefined
  /** Reports the port. */
  readonly report?: ((port: number) => void) | undefined
}

export type Certificate =
  | {
      /** PEM. */
      readonly key: string | Buffer
    }
  | {
      /** Path. */
      readonly keyFile: string
    }

export interface Bare {
  readonly port?: number
}
`

describe('optionsOf', () => {
  it('returns name, type, default and effect of each option', () => {
    expect(optionsOf(SOURCE, 'Listen')).toEqual([
      { name: 'port', type: 'number', default: '0', effect: 'TCP port.' },
      { name: 'types', type: 'string[]', default: '', effect: 'Accepts `*/*` and more, in two lines.' },
      { name: 'limits.maxBodyBytes', type: 'number', default: '', effect: 'Largest body.' },
      { name: 'count', type: "number | 'auto'", default: 'required', effect: 'Number of processes.' },
      { name: 'name', type: '(port: number) => string | undefined', default: '', effect: 'Returns a name.' },
      { name: 'report', type: '(port: number) => void', default: '', effect: 'Reports the port.' },
    ])
  })

  it('reads the object types of a union', () => {
    expect(optionsOf(SOURCE, 'Certificate').map(({ name, type }) => [name, type])).toEqual([
      ['key', 'string | Buffer'],
      ['keyFile', 'string'],
    ])
  })

  it('throws for a type that does not exist and for an option without a docstring', () => {
    expect(() => optionsOf(SOURCE, 'Lisen')).toThrow('The interface or type Lisen does not exist')
    expect(() => optionsOf(SOURCE, 'Bare')).toThrow('Bare.port has no docstring')
  })
})

describe('splitDefault', () => {
  it.each([
    ['Waits. Default 10,000.', '10,000', 'Waits.'],
    ['Waits. Default 60,000; 0 disables the limit.', '60,000', 'Waits. 0 disables the limit.'],
    ['Waits. Default 5; then it ends.', '5', 'Waits. Then it ends.'],
    [
      'Limits it. Default 0 (no limit), because links are slow.',
      '0 (no limit)',
      'Limits it. Default 0 (no limit), because links are slow.',
    ],
    ["Lists types. Default: `['a, b']`. Use it.", "`['a, b']`", 'Lists types. Use it.'],
    ['Limits it. Default 8: few use it.', '8', 'Limits it. Default 8: few use it.'],
    ['Shares it. By default a quarter of the heap. 0 for none.', 'a quarter of the heap', 'Shares it. 0 for none.'],
    ['Keeps one more. Default false.', '`false`', 'Keeps one more.'],
    ["Handles it: `'strict'` (default) or not.", "`'strict'`", "Handles it: `'strict'` (default) or not."],
    ['Ratio. Default 0.5. Use it.', '0.5', 'Ratio. Use it.'],
    ['Offers HTTP/3. Off by default.', '`false`', 'Offers HTTP/3.'],
    ['Limits it. No limit by default. Then more.', 'no limit', 'Limits it. Then more.'],
    ['Plain text.', '', 'Plain text.'],
  ])('splits %j', (text, value, effect) => {
    expect(splitDefault(text)).toEqual({ default: value, effect })
  })
})
