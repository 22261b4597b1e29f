import { describe, expect, it } from 'vitest'
import { csp, type CspDirectives } from './csp.ts'
import { CspNonce } from './csp-nonce.ts'

const HASH = 'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='

describe('csp()', () => {
  it.each<[CspDirectives, string]>([
    [{ 'default-src': ['none'] }, "default-src 'none'"],
    [{ 'default-src': [] }, "default-src 'none'"],
    [{ 'script-src': ['self', 'https://cdn.example.org', 'data:'] }, "script-src 'self' https://cdn.example.org data:"],
    [{ 'script-src': [HASH, 'wasm-unsafe-eval'] }, `script-src '${HASH}' 'wasm-unsafe-eval'`],
    [{ 'img-src': ['*'], 'font-src': ['*.example.org:8443'] }, 'img-src *; font-src *.example.org:8443'],
    [{ sandbox: [], 'upgrade-insecure-requests': true }, 'sandbox; upgrade-insecure-requests'],
    [{ sandbox: ['allow-scripts', 'allow-forms'] }, 'sandbox allow-scripts allow-forms'],
    [{ 'upgrade-insecure-requests': false, 'base-uri': ['self'] }, "base-uri 'self'"],
    [{ 'trusted-types': ['lit-html', 'allow-duplicates'] }, "trusted-types lit-html 'allow-duplicates'"],
    [{ 'require-trusted-types-for': ['script'] }, "require-trusted-types-for 'script'"],
    [{ 'report-to': 'default', 'report-uri': ['/reports'] }, 'report-to default; report-uri /reports'],
    [{ 'script-src': undefined as never, 'style-src': ['unsafe-inline'] }, "style-src 'unsafe-inline'"],
    [{ 'connect-src': ['script'] }, 'connect-src script'],
    [{}, ''],
  ])('formats %j as %j', (directives, text) => {
    expect(csp(directives).format()).toBe(text)
    expect(csp(directives)).toHaveProperty('usesNonce', false)
  })

  it('includes the nonce only in a response that uses it', () => {
    const policy = csp({ 'script-src': ['self', CspNonce, 'strict-dynamic'], 'style-src': [CspNonce] })
    expect(policy.usesNonce).toBe(true)
    expect(policy.format('abc')).toBe("script-src 'self' 'nonce-abc' 'strict-dynamic'; style-src 'nonce-abc'")
    expect(policy.format()).toBe("script-src 'self' 'strict-dynamic'; style-src 'none'")
  })

  it.each<[unknown, string]>([
    [
      { 'script-src': ["'self'"] },
      `csp: option "script-src[0]" must be a source, got "'self'". Write "self": csp() adds the quotes.`,
    ],
    [{ 'script-src': ['self; img-src *'] }, 'without spaces, quotes, ";" and ",".'],
    [{ 'script-src': ['self,none'] }, 'must be a source, got "self,none".'],
    [{ 'script-src': ['a\r\nset-cookie: x'] }, 'must be a source'],
    [{ 'script-src': ['a b'] }, 'must be a source, got "a b".'],
    [{ 'script-src': ['https://bücher.example'] }, 'must be a source'],
    [{ 'script-src': [''] }, 'must be a source'],
    [{ 'script-src': ['nonce-abc'] }, 'Use CspNonce: a nonce must differ in every response.'],
    [{ 'script-src': ["'nonce-abc'"] }, 'Use CspNonce: a nonce must differ in every response.'],
    [{ 'script-src': ['none', 'self'] }, 'Write "none" alone: browsers ignore it next to other sources.'],
    [
      { 'script-src': 'self' },
      'csp: option "script-src" must be a list of sources, got "self". Write a list, such as [\'self\'].',
    ],
    [{ 'script-src': [null] }, 'must be a source, got null.'],
    [{ 'report-to': 'a;b' }, 'csp: option "report-to" must be a word, got "a;b".'],
    [{ 'upgrade-insecure-requests': [] }, 'csp: option "upgrade-insecure-requests" must be true or false'],
    [{ 'scrpt-src': [] }, 'csp: unknown option "scrpt-src". Did you mean "script-src"?'],
    [{ scriptSrc: [] }, 'csp: unknown option "scriptSrc".'],
  ])('refuses %j', (directives, message) => {
    expect(() => csp(directives as CspDirectives)).toThrow(message)
  })
})
