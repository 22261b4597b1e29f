import assert from 'node:assert/strict'
import { mutate, randomBytes, type FuzzTarget, type Random } from '@fw/testing/fuzz'
import { parseRequestTarget } from '../src/engine/semantics/request-target.ts'
import { decodePath, referenceToOtherEnd, segmentText, toggleSlash } from '../src/routing/path-text.ts'

/** Input: a request target, and the method that determines its valid forms. */
interface Input {
  readonly method: string
  readonly target: string
}

const STARTS: readonly string[] = [
  '/',
  '/',
  '/',
  '//',
  '/\\',
  'http://a',
  'http://a/',
  'HTTPS://a:1/',
  'http:///',
  '*',
  'a:1',
  '',
]
const SEGMENTS: readonly string[] = [
  'a',
  'b',
  '..',
  '.',
  '',
  '%2f',
  '%2F',
  '%5c',
  '%00',
  '%C3%A9',
  '%ff',
  '%',
  '%4',
  '%zz',
  '%252f',
  'a:b',
  '@evil',
  '\\\\evil',
  '?',
  '?a=b',
  '#',
  '%ED%B0%AF',
  '%ed%b0%af',
  '\xe9',
  '{x}',
  'x;y=z',
  'http:',
  'javascript:',
]
const PIECES: readonly string[] = ['/', '//', '?', '%', '%2f', '\\', '.', '..', ':', '@', ' ', '\t', '#']

const target: FuzzTarget<Input> = {
  parser: 'request targets, their decoded paths, and redirects that add or remove a trailing slash (RFC 9112 §3.2)',
  generate: (random) => ({
    method: random.pick(['GET', 'GET', 'OPTIONS', 'CONNECT']),
    target: requestTarget(random),
  }),
  check({ method, target: text }) {
    const { form, path, rawQuery } = parseRequestTarget(method, text)
    const whole = rawQuery === '' ? path : `${path}?${rawQuery}`
    if (form === 'origin') {
      assert.equal(whole, text.endsWith('?') && rawQuery === '' ? text.slice(0, -1) : text)
    }
    if (form === 'absolute') {
      assert.ok(path.startsWith('/'))
      // The absolute form of a target must give the same result as its origin form.
      const again = parseRequestTarget(method, whole)
      assert.deepEqual(again, { form: 'origin', path, rawQuery })
    }
    if (form === 'origin' || form === 'absolute') {
      checkDecoded(path)
      checkReference(path)
    }
  },
}
export default target

function requestTarget(random: Random): string {
  if (random.chance(0.004)) return `/${random.pick([...SEGMENTS, ...PIECES]).repeat(random.below(3000))}`
  if (random.chance(0.03)) return `/${randomBytes(random, 30)}`
  const text = random.pick(STARTS) + random.list(0.7, () => random.pick(SEGMENTS)).join('/')
  return random.chance(0.3) ? mutate(text, random, PIECES) : text
}

/**
 * Checks that each segment is decoded once and separately: an encoded slash neither separates segments nor disappears.
 */
function checkDecoded(path: string): void {
  const decoded = decodePath(path)
  let expected
  try {
    expected = path.split('/').map((segment) => decodeURIComponent(segment))
  } catch {
    assert.equal(decoded, undefined)
    return
  }
  assert.deepEqual(decoded?.split('/').map(segmentText), expected)
}

/** Checks that a redirect that adds or removes the last slash stays on the host and leads to that path. */
function checkReference(path: string): void {
  if (path === '/' || !/^[!-~]+$/.test(path) || /[?#\\]/.test(path)) return
  const base = new URL(`http://host${path}`)
  // Browsers remove dot segments, so such a path changes.
  if (base.pathname !== path || path.endsWith('//')) return
  const led = new URL(referenceToOtherEnd(path), base)
  assert.equal(led.host, 'host')
  assert.equal(led.pathname, toggleSlash(path))
}
