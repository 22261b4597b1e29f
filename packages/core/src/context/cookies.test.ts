import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ContextCookies } from './cookies.ts'
import { FieldListHeaders } from '../engine/fields/field-list-headers.ts'
import { ResponseHeaderList } from '../response/response-headers.ts'

function setup(cookie?: string, isSecure = false): { cookies: ContextCookies; sent: () => readonly string[] } {
  const responseHeaders = new ResponseHeaderList()
  const headers = new FieldListHeaders(cookie === undefined ? [] : ['cookie', cookie])
  const cookies = new ContextCookies({ headers, responseHeaders, scheme: isSecure ? 'https' : 'http' })
  return { cookies, sent: () => responseHeaders.getAll('set-cookie') }
}

/** Returns the `Cookie` field that a browser would send back. */
const returned = (sent: readonly string[]): string => sent.map((field) => field.split(';')[0]).join('; ')

describe('a request cookie', () => {
  it.each<[string | undefined, string, string | null]>([
    ['a=1; b=2', 'b', '2'],
    ['a=1;b=2', 'b', '2'],
    ['a=x%20y', 'a', 'x y'],
    ['a=%zz', 'a', '%zz'],
    ['a="quoted"', 'a', '"quoted"'],
    ['a=1=2', 'a', '1=2'],
    ['a=', 'a', ''],
    ['a=1', 'constructor', null],
    ['__proto__=1', '__proto__', '1'],
    ['nonsense', 'nonsense', null],
    [undefined, 'a', null],
  ])('is read from %j under the name %s as %j', (cookie, name, value) => {
    expect(setup(cookie).cookies.get(name)).toBe(value)
  })

  it('appears in names()', () => {
    expect(setup('a=1; b=2').cookies.names()).toEqual(['a', 'b'])
  })

  it('parses any field without an exception', () => {
    fc.assert(
      fc.property(fc.string(), (cookie) => {
        const { cookies } = setup(cookie)
        for (const name of cookies.names()) expect(cookies.get(name)).toEqual(expect.any(String))
      }),
    )
  })
})

describe('a response cookie', () => {
  it('defaults to HttpOnly and SameSite=Lax, and to Secure over TLS', () => {
    const clear = setup()
    clear.cookies.set('a', '1')
    expect(clear.sent()).toEqual(['a=1; Path=/; HttpOnly; SameSite=Lax'])
    const secure = setup(undefined, true)
    secure.cookies.set('a', '1', {
      httpOnly: false,
      sameSite: 'strict',
      path: '/x',
      maxAgeSeconds: 60,
      domain: 'x.test',
    })
    expect(secure.sent()).toEqual(['a=1; Max-Age=60; Domain=x.test; Path=/x; Secure; SameSite=Strict'])
  })

  it('keeps the defaults for options that are undefined', () => {
    const { cookies, sent } = setup(undefined, true)
    const unset = {
      path: undefined,
      httpOnly: undefined,
      secure: undefined,
      sameSite: undefined,
      maxAgeSeconds: undefined,
    }
    cookies.set('a', '1', { ...unset, secrets: undefined } as object)
    cookies.delete('b', unset as object)
    expect(sent()).toEqual([
      'a=1; Path=/; HttpOnly; Secure; SameSite=Lax',
      'b=; Max-Age=0; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT; HttpOnly; Secure; SameSite=Lax',
    ])
  })

  it('replaces an earlier one with the same name', () => {
    const { cookies, sent } = setup()
    cookies.set('a', '1')
    cookies.set('b', '2')
    cookies.set('a', '3')
    expect(returned(sent())).toBe('b=2; a=3')
  })

  it('expires in 1970 when it is deleted', () => {
    const { cookies, sent } = setup()
    cookies.delete('a', { path: '/x' })
    expect(sent()[0]).toBe('a=; Max-Age=0; Path=/x; Expires=Thu, 01 Jan 1970 00:00:00 GMT; HttpOnly; SameSite=Lax')
  })

  it('has the last value set for its name when it is read back', () => {
    const name = fc.stringMatching(/^[\w!#$%&'*+.^`|~-]{1,8}$/)
    const value = fc.string({ unit: 'grapheme' }).map((text) => text.toWellFormed())
    fc.assert(
      fc.property(fc.array(fc.tuple(name, value, fc.boolean()), { maxLength: 8 }), (all) => {
        const { cookies, sent } = setup()
        for (const [each, text, isSigned] of all) cookies.set(each, text, isSigned ? { secrets: ['s'] } : {})
        const next = setup(returned(sent())).cookies
        const last = new Map(all.map(([each, text, isSigned]) => [each, { text, isSigned }]))
        expect(next.names().toSorted()).toEqual([...last.keys()].toSorted())
        for (const [each, { text, isSigned }] of last) {
          expect(next.get(each, isSigned ? { secrets: ['s'] } : undefined)).toBe(text)
        }
      }),
    )
  })

  it.each([
    ['a b', 'x'],
    ['', 'x'],
    ['a;b', 'x'],
  ])('rejects the name %j', (name, value) => {
    expect(() => setup().cookies.set(name, value)).toThrow(TypeError)
  })

  it.each([{ path: '/;x' }, { domain: 'a b' }])('rejects %j', (options) => {
    expect(() => setup().cookies.set('a', '1', options)).toThrow(TypeError)
  })

  it.each<[object, typeof TypeError, string]>([
    [{ maxAgeSeconds: 1.5 }, RangeError, 'option "maxAgeSeconds" must be an integer, got 1.5.'],
    [{ maxAgeSeconds: '60' }, TypeError, 'option "maxAgeSeconds" must be an integer, got "60".'],
    [{ maxAge: 60 }, TypeError, 'unknown option "maxAge". Use maxAgeSeconds instead.'],
    [{ expires: new Date(NaN) }, TypeError, 'option "expires" must be a valid Date, got a Date.'],
    [{ secure: 'false' }, TypeError, 'option "secure" must be true or false, got "false".'],
    [{ sameSite: 'Strict' }, TypeError, 'option "sameSite" must be "strict", "lax" or "none", got "Strict".'],
  ])('rejects %j with the reason', (options, type, message) => {
    const { cookies, sent } = setup()
    const act = (): void => cookies.set('a', '1', options)
    expect(act).toThrow(type)
    expect(act).toThrow(`ctx.cookies.set: ${message}`)
    expect(sent()).toEqual([])
  })

  it('accepts a negative maxAgeSeconds', () => {
    const { cookies, sent } = setup()
    cookies.set('a', '1', { maxAgeSeconds: -1 })
    expect(sent()).toEqual(['a=1; Max-Age=-1; Path=/; HttpOnly; SameSite=Lax'])
  })
})

describe('an unknown cookie option', () => {
  it.each<object>([{ httponly: false }, { Secure: true }, { maxageSeconds: 1 }])(
    'throws with a suggestion: %j',
    (options) => {
      const { cookies, sent } = setup()
      const [name] = Object.keys(options)
      for (const act of [() => cookies.set('a', '1', options), () => cookies.delete('a', options)]) {
        expect(act).toThrow(`: unknown option "${name}". Did you mean "`)
      }
      expect(sent()).toEqual([])
    },
  )

  it('causes no report if delete() receives an option for set()', () => {
    const { cookies, sent } = setup()
    const all = { path: '/a', domain: 'example.org', httpOnly: false, maxAgeSeconds: 9, secrets: ['s'] }
    cookies.delete('a', all)
    expect(sent()).toEqual([
      'a=; Max-Age=0; Domain=example.org; Path=/a; Expires=Thu, 01 Jan 1970 00:00:00 GMT; SameSite=Lax',
    ])
  })
})

describe('a signed cookie', () => {
  const { cookies, sent } = setup()
  cookies.set('user', 'ada', { secrets: ['new'] })
  const field = returned(sent())

  it('verifies if any of the secrets signed it', () => {
    expect(setup(field).cookies.get('user', { secrets: ['newest', 'new'] })).toBe('ada')
    expect(setup(field).cookies.get('user', { secrets: ['other'] })).toBeNull()
  })

  it.each([
    field.replace('ada', 'eve'),
    field.replace('user', 'admin'),
    field.slice(0, -1),
    `${field}A`,
    'user=ada',
    'user=ada.',
    'admin=',
  ])('does not verify when forged as %j', (forged) => {
    const next = setup(forged).cookies
    expect([next.get('user', { secrets: ['new'] }), next.get('admin', { secrets: ['new'] })]).toEqual([null, null])
  })

  it.each([[[]], [['']], ['text']])('throws for the secrets %j', (secrets) => {
    expect(() => setup().cookies.set('a', '1', { secrets: secrets as string[] })).toThrow(
      'ctx.cookies.set: option "secrets" must be a list of one or more non-empty strings, got a',
    )
  })
})
