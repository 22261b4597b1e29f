import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ErrorSite, errorSites } from './error-sites.ts'

const SOURCES: Readonly<Record<string, string>> = {
  'index.ts': `export { check, type Options, PublicError } from './check.ts'`,
  'check.ts': `
import { withCode } from './with-code.ts'
export interface Options { readonly a?: number }
export class PublicError extends Error {}
class PeerError extends Error {}
class Gone extends PeerError {}
export class GoneError extends Error {
  override readonly name = 'AbortError'
  readonly code = 'FW_GONE'
}
const FIX = 'Write 1.'
export function check(value: unknown, what: string): void {
  if (value === 1) throw withCode('FW_ONE', new TypeError(\`check: \${what} must be \${String(value)}. \${FIX}\`))
  if (value === 2) throw withCode(what ? 'FW_TWO' : 'FW_THREE', value ? new TypeError('two') : new RangeError('or three'))
  if (value === 3) throw new PeerError('a fault of the peer')
  if (value === 4) throw new Gone('left')
  if (value === 5) throw new GoneError('the client disconnected')
  if (value === 6) throw new PublicError('without a code')
  if (value === 7) throw new Error('without a code')
  if (value === 8) throw passed('from ' + 'a caller')
  if (value === 9) throw withCode('FW_NINE', new Error(value > 1 ? 'some' : 'none', { cause: new Error('inner') }))
  if (value === 10) throw withCode('FW_TEN', new Error(what))
}
function passed(message: string): Error {
  return withCode('FW_EIGHT', new Error(message))
}`,
  'with-code.ts': `export function withCode<E extends Error>(code: string, error: E): E {
  return Object.assign(error, { code })
}`,
  'check.test.ts': `throw new Error('in a test')`,
}

describe('errorSites', () => {
  let folder = ''
  let sites: readonly ErrorSite[] = []

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fw-error-sites-'))
    await mkdir(join(folder, 'src'))
    const compilerOptions = { noEmit: true, allowImportingTsExtensions: true, module: 'nodenext', types: [] }
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['src'] }))
    for (const [name, source] of Object.entries(SOURCES)) await writeFile(join(folder, 'src', name), source)
    sites = errorSites([join(folder, 'tsconfig.json')])
  })
  afterAll(() => rm(folder, { recursive: true }))

  it.each([
    ['FW_ONE', 'TypeError', ['check: […] must be […]. Write 1.']],
    ['FW_GONE', 'AbortError', ['the client disconnected']],
    ['FW_EIGHT', 'Error', ['from a caller']],
    ['FW_NINE', 'Error', ['some', 'none']],
    ['FW_TEN', 'Error', []],
  ])('returns the messages of %s', (code, name, messages) => {
    expect(sites.find(({ codes }) => codes.includes(code))).toMatchObject({ name, messages, codes: [code] })
  })

  it('returns each class and each code in a conditional expression', () => {
    const found = sites.filter(({ codes }) => codes.includes('FW_TWO'))
    expect(found.map(({ name, codes }) => [name, codes])).toEqual([
      ['TypeError', ['FW_TWO', 'FW_THREE']],
      ['RangeError', ['FW_TWO', 'FW_THREE']],
    ])
  })

  it('finds errors without a code, except classes that no entry exports', () => {
    const found = sites.filter(({ codes }) => codes.length === 0)
    expect(found.map(({ name, messages, at }) => [name, messages.join(), basename(at).replace(/:\d+$/, '')])).toEqual([
      ['PublicError', 'without a code', 'check.ts'],
      ['Error', 'without a code', 'check.ts'],
      ['Error', 'inner', 'check.ts'],
    ])
  })

  it('rejects a configuration without sources', () => {
    expect(() => errorSites([join(folder, 'missing.json')])).toThrow('missing.json')
  })
})
