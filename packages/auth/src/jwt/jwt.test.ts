import { once } from 'node:events'
import { createServer, type Server as HttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { App } from '@fw/core'
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, SignJWT, UnsecuredJWT } from 'jose'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { Principal } from '../principal.ts'
import { jwt, type JwtOptions } from './jwt.ts'

const ISSUER = 'https://login.example.org/'
const AUDIENCE = 'https://api.example.org'
const SECRET = Buffer.alloc(32, 7)

let es256: { publicKey: CryptoKey; privateKey: CryptoKey }
let other: { publicKey: CryptoKey; privateKey: CryptoKey }
let publicJwk: JWK
let issuer: HttpServer
let requests = 0
let respond: () => { status: number; body: string }

beforeAll(async () => {
  es256 = await generateKeyPair('ES256')
  other = await generateKeyPair('ES256')
  publicJwk = { ...(await exportJWK(es256.publicKey)), kid: '1', alg: 'ES256' }
  issuer = createServer((_, response) => {
    requests++
    const { status, body } = respond()
    response.writeHead(status, { 'content-type': 'application/json' }).end(body)
  }).listen({ port: 0, host: '127.0.0.1' })
  await once(issuer, 'listening')
})
beforeEach(() => {
  requests = 0
  respond = () => ({ status: 200, body: JSON.stringify({ keys: [publicJwk] }) })
})
afterAll(() => void issuer.close())

interface Token {
  readonly claims?: Record<string, unknown>
  readonly header?: Record<string, unknown>
  readonly key?: CryptoKey | Uint8Array
}

const now = (): number => Math.floor(Date.now() / 1000)

async function sign({ claims = {}, header = {}, key = es256.privateKey }: Token = {}): Promise<string> {
  const all = { iss: ISSUER, aud: AUDIENCE, sub: 'ada', exp: now() + 60, ...claims }
  return await new SignJWT(all).setProtectedHeader({ alg: 'ES256', kid: '1', ...header }).sign(key)
}

function appWith(options: Partial<JwtOptions> = {}): App {
  const app = new App({ onError: () => {} })
  const key = options.jwks === undefined ? { key: publicJwk } : {}
  app.router.use(jwt({ issuer: ISSUER, audience: AUDIENCE, algorithms: ['ES256'], ...key, ...options }))
  app.router.get('/', (ctx) => ctx.local(Principal))
  return app
}

async function statusOf(app: App, token: string): Promise<number> {
  return (await app.fetch('/', { headers: { authorization: `Bearer ${token}` } })).status
}

describe('jwt()', () => {
  it('returns the subject, scopes and claims', async () => {
    const token = await sign({ claims: { scope: 'a b', name: 'Ada' } })
    const response = await appWith().fetch('/', { headers: { authorization: `Bearer ${token}` } })
    expect(await response.json()).toMatchObject({ id: 'ada', scopes: ['a', 'b'], claims: { name: 'Ada', iss: ISSUER } })
  })

  it.each<[string, Record<string, unknown>, number]>([
    ['no changes', {}, 200],
    ['one of several audiences', { aud: ['x', AUDIENCE] }, 200],
    ['an expiry within the tolerance', { exp: 'now - 3' }, 200],
    ['a different issuer', { iss: 'https://evil.example/' }, 401],
    ['a different audience', { aud: 'https://other.example' }, 401],
    ['no audience', { aud: undefined }, 401],
    ['no issuer', { iss: undefined }, 401],
    ['no subject', { sub: undefined }, 401],
    ['an empty subject', { sub: '' }, 401],
    ['a subject that is not a string', { sub: ['admin'] }, 401],
    ['a null subject', { sub: null }, 401],
    ['no expiry', { exp: undefined }, 401],
    ['an expiry in the past', { exp: 'now - 10' }, 401],
    ['a start in the future', { nbf: 'now + 60' }, 401],
  ])('responds with $2 to a token with $0: $1', async (_, given, status) => {
    const claims = Object.fromEntries(
      Object.entries(given).map(([name, value]) => {
        const relative = /^now ([+-]) (\d+)$/.exec(String(value))
        return [name, relative === null ? value : now() + Number(`${relative[1]}${relative[2]}`)]
      }),
    )
    expect(await statusOf(appWith(), await sign({ claims }))).toBe(status)
  })

  it('refuses any token with one changed character', async () => {
    const token = await sign()
    const app = appWith()
    for (let at = 0; at < token.length; at += 7) {
      const changed = token[at] === 'A' ? 'B' : 'A'
      if (token[at] === '.') continue
      expect(await statusOf(app, token.slice(0, at) + changed + token.slice(at + 1))).toBe(401)
    }
  })

  it.each<[string | undefined, string | undefined, number]>([
    [undefined, undefined, 200],
    ['JWT', undefined, 200],
    ['at+jwt', undefined, 200],
    ['application/at+JWT', undefined, 200],
    ['logout+jwt', undefined, 401],
    ['dpop+jwt', undefined, 401],
    ['at+jwt', 'at+jwt', 200],
    ['application/at+jwt', 'at+jwt', 200],
    ['JWT', 'at+jwt', 401],
    [undefined, 'at+jwt', 401],
  ])('responds with $2 to a token of type $0 if type $1 is required', async (typ, required, status) => {
    const app = appWith(required === undefined ? {} : { typ: required })
    expect(await statusOf(app, await sign({ header: typ === undefined ? {} : { typ } }))).toBe(status)
  })

  it('responds with 401 to a token whose algorithm does not match the key', async () => {
    const { privateKey } = await generateKeyPair('ES384')
    const app = appWith({ algorithms: ['ES256', 'ES384'] })
    expect(await statusOf(app, await sign({ header: { alg: 'ES384' }, key: privateKey }))).toBe(401)
  })

  it('refuses tokens with the signature of a different key and tokens without a signature', async () => {
    expect(await statusOf(appWith(), await sign({ key: other.privateKey }))).toBe(401)
    const claims = { iss: ISSUER, aud: AUDIENCE, sub: 'ada', exp: now() + 60 }
    expect(await statusOf(appWith(), new UnsecuredJWT(claims).encode())).toBe(401)
    expect(await statusOf(appWith(), 'abc')).toBe(401)
    expect(await statusOf(appWith(), 'a.b.c')).toBe(401)
  })

  it('accepts only algorithms from the options, regardless of the token: CVE-2026-22817, CVE-2026-22818', async () => {
    // Use the public key as the secret of an HS algorithm.
    const secret = Buffer.from(JSON.stringify(publicJwk))
    expect(await statusOf(appWith(), await sign({ header: { alg: 'HS256' }, key: secret }))).toBe(401)
    expect(await statusOf(appWith({ algorithms: ['ES384'] }), await sign())).toBe(401)
  })

  it('verifies tokens with a shared secret', async () => {
    const app = appWith({ algorithms: ['HS256'], key: SECRET })
    expect(await statusOf(app, await sign({ header: { alg: 'HS256' }, key: SECRET }))).toBe(200)
    expect(await statusOf(app, await sign({ header: { alg: 'HS256' }, key: Buffer.alloc(32, 8) }))).toBe(401)
  })

  it('reads scopes from scp and principals from other claims', async () => {
    const scopes = async (claims: Record<string, unknown>): Promise<unknown> => {
      const headers = { authorization: `Bearer ${await sign({ claims })}` }
      return ((await (await appWith().fetch('/', { headers })).json()) as { scopes: unknown }).scopes
    }
    expect(await scopes({ scp: ['a', 5, 'b'] })).toEqual(['a', 'b'])
    expect(await scopes({ scp: 'a  b' })).toEqual(['a', 'b'])
    expect(await scopes({})).toEqual([])
    const app = appWith({ toPrincipal: ({ sub }) => (sub === 'ada' ? null : { id: 'x' }) })
    expect(await statusOf(app, await sign())).toBe(401)
    expect(await statusOf(app, await sign({ claims: { sub: 'bob' } }))).toBe(200)
  })

  it('caches verified tokens until they expire', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    try {
      let verified = 0
      const app = appWith({ maxCachedTokens: 2, toPrincipal: () => ({ id: String(++verified) }) })
      const token = await sign()
      expect(await statusOf(app, token)).toBe(200)
      expect(await statusOf(app, token)).toBe(200)
      expect(verified).toBe(1)
      for (const sub of ['b', 'c']) await statusOf(app, await sign({ claims: { sub } }))
      expect(verified).toBe(3)
      await statusOf(app, token)
      expect(verified).toBe(4)
      vi.advanceTimersByTime(70_000)
      expect(await statusOf(app, token)).toBe(401)
    } finally {
      vi.useRealTimers()
    }
  })
})

function keysUrl(): string {
  return `http://127.0.0.1:${(issuer.address() as AddressInfo).port}/keys`
}

describe('jwt() with the keys of an issuer', () => {
  it('fetches them only once for simultaneous and later tokens', async () => {
    const app = appWith({ jwks: keysUrl() })
    const token = await sign()
    expect(await Promise.all([statusOf(app, token), statusOf(app, token)])).toEqual([200, 200])
    expect(await statusOf(app, token)).toBe(200)
    expect(requests).toBe(1)
  })

  it('does not fetch them again for every unknown key', async () => {
    const app = appWith({ jwks: keysUrl() })
    await statusOf(app, await sign())
    for (const kid of ['2', '3', '4']) expect(await statusOf(app, await sign({ header: { kid } }))).toBe(401)
    expect(requests).toBe(1)
  })

  it('does not fetch them for every token while the issuer is failing', async () => {
    respond = () => ({ status: 500, body: '' })
    const app = appWith({ jwks: keysUrl() })
    for (let i = 0; i < 5; i++) expect(await statusOf(app, await sign())).toBe(503)
    expect(requests).toBe(1)
  })

  it('does not fetch them for every unknown key or valid token while the issuer is failing', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    try {
      const app = appWith({ jwks: keysUrl() })
      expect(await statusOf(app, await sign())).toBe(200)
      respond = () => ({ status: 500, body: '' })
      vi.advanceTimersByTime(31_000)
      for (const kid of ['2', '3', '4']) expect(await statusOf(app, await sign({ header: { kid } }))).toBe(401)
      expect(requests).toBe(2)
      vi.advanceTimersByTime(700_000)
      for (let i = 0; i < 5; i++) expect(await statusOf(app, await sign())).toBe(200)
      await expect.poll(() => requests).toBe(3)
    } finally {
      vi.useRealTimers()
    }
  })

  it('finds a new key from the issuer', async () => {
    const app = appWith({ jwks: keysUrl() })
    vi.useFakeTimers({ toFake: ['Date'] })
    try {
      expect(await statusOf(app, await sign())).toBe(200)
      const added = { ...(await exportJWK(other.publicKey)), kid: '2', alg: 'ES256' }
      respond = () => ({ status: 200, body: JSON.stringify({ keys: [publicJwk, added] }) })
      vi.advanceTimersByTime(31_000)
      expect(await statusOf(app, await sign({ header: { kid: '2' }, key: other.privateKey }))).toBe(200)
    } finally {
      vi.useRealTimers()
    }
  })

  it('tries every matching key for a token without kid', async () => {
    const second = { ...(await exportJWK(other.publicKey)), kid: '2', alg: 'ES256' }
    respond = () => ({ status: 200, body: JSON.stringify({ keys: [second, publicJwk] }) })
    const app = appWith({ jwks: keysUrl() })
    expect(await statusOf(app, await sign({ header: { kid: undefined } }))).toBe(200)
    const { privateKey } = await generateKeyPair('ES256')
    expect(await statusOf(app, await sign({ header: { kid: undefined }, key: privateKey }))).toBe(401)
  })

  it.each([
    [500, 'broken'],
    [200, 'not JSON'],
  ])('responds with 503 if the issuer sends %i and "%s"', async (status, body) => {
    respond = () => ({ status, body })
    expect(await statusOf(appWith({ jwks: keysUrl() }), await sign())).toBe(503)
  })

  it('keeps them if the issuer stops responding', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    try {
      const app = appWith({ jwks: keysUrl() })
      expect(await statusOf(app, await sign())).toBe(200)
      respond = () => ({ status: 500, body: '' })
      vi.advanceTimersByTime(700_000)
      expect(await statusOf(app, await sign())).toBe(200)
      await expect.poll(() => requests).toBe(2)
    } finally {
      vi.useRealTimers()
    }
  })
})

describe('jwt() with options', () => {
  const VALID = { issuer: 'a', audience: 'b', algorithms: ['ES256'], jwks: 'https://a.example/keys' }

  it.each(['https://a.example/keys', 'http://127.0.0.1:8080/keys', 'http://localhost/', new URL('https://a.example')])(
    'accepts the URL %s',
    (jwks) => {
      expect(() => jwt({ ...VALID, jwks })).not.toThrow()
    },
  )

  it.each<[Record<string, unknown>, string]>([
    [{ issuer: undefined }, 'jwt: option "issuer" must be a string or a list of strings, got undefined.'],
    [{ audience: undefined }, 'jwt: option "audience" must be a string or a list of strings, got undefined.'],
    [{ audience: [] }, 'jwt: option "audience" must be'],
    [{ algorithms: undefined }, 'jwt: option "algorithms" must be a list of algorithms, got undefined.'],
    [{ algorithms: [] }, 'jwt: option "algorithms" must be a list of algorithms'],
    [{ algorithms: ['none'] }, 'jwt: option "algorithms[0]" must be'],
    [{ algorithms: ['HS256', 'RS256'] }, 'jwt: option "algorithms" must be of one kind, got HS256 and others.'],
    [{ algorithms: ['HS256'] }, 'jwt: option "algorithms" must be those of public keys with jwks, got HS256.'],
    [{ jwks: 'http://a.example/keys' }, 'jwt: option "jwks" must be an https: URL, got "http://a.example/keys".'],
    [{ jwks: 'http://127.evil.example/' }, 'jwt: option "jwks" must be an https: URL'],
    [{ jwks: undefined }, 'jwt: option "jwks" must be set if key is not, got neither.'],
    [{ key: SECRET }, 'jwt: option "jwks" must be set if key is not, got both.'],
    [
      { algorithms: ['HS256'], jwks: undefined, key: Buffer.alloc(31) },
      'jwt: option "key" must be 32 bytes or more, got 31 bytes. Generate one: crypto.randomBytes(32).',
    ],
    [
      { algorithms: ['HS512'], jwks: undefined, key: { kty: 'oct', k: 'AAAA' } },
      'jwt: option "key" must be 64 bytes or more, got 3 bytes.',
    ],
    [{ secret: 'x' }, 'jwt: unknown option "secret".'],
  ])('refuses %j', (changes, message) => {
    expect(() => jwt({ ...VALID, ...changes })).toThrow(message)
  })
})
